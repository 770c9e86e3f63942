package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/lockactor/fence"
	"github.com/leasekeeper/lkactor/lockactor/fence/casfence"
	"github.com/leasekeeper/lkactor/lockactor/fence/fencetest"
	"github.com/leasekeeper/lkactor/lockactor/fence/sqlfence"
	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/etcdcas"
	"github.com/leasekeeper/lkactor/lockactor/fence/storetest/servers"
)

// scopeState is a scope's state in the model: the token and what is under the
// keys of a race.
type scopeState struct {
	accepted lease.Token
	values   [3]string
}

// model is one scope of a fenced store, as Porcupine has models.
var model = porcupine.Model{
	Init: func() any { return scopeState{} },
	Step: func(state, input, output any) (bool, any) {
		s, asked, answered := state.(scopeState), input.(fencetest.Event), output.(fencetest.Event)
		var key int
		fmt.Sscanf(asked.Key, "k%d", &key)
		switch {
		case asked.Kind == fencetest.AcceptedEvent:
			return answered.Token == s.accepted, s
		case asked.Kind == fencetest.ReadEvent:
			return answered.Value == s.values[key] && answered.Found == (s.values[key] != ""), s
		case answered.End == fencetest.Refused:
			return answered.Accepted == s.accepted && asked.Token < s.accepted, s
		case asked.Token < s.accepted:
			return false, s
		}
		s.accepted, s.values[key] = asked.Token, asked.Value
		return true, s
	},
}

// judge has Porcupine look at each scope of a history.
func judge(h fencetest.History) porcupine.CheckResult {
	scopes := map[string][]porcupine.Operation{}
	for i, e := range h {
		scopes[e.Scope] = append(scopes[e.Scope], porcupine.Operation{
			ClientId: i, Input: e, Output: e, Call: e.Call, Return: e.Return,
		})
	}
	result := porcupine.Ok
	for _, operations := range scopes {
		if r := porcupine.CheckOperationsTimeout(model, operations, 30*time.Second); r != porcupine.Ok {
			result = r
		}
	}
	return result
}

// racers are few enough for Porcupine, which searches without knowing that tokens
// never go down: with the kit's 64 it finds no end in half a minute.
const racers = 8

// The kit's own checker and Porcupine judge the same races on every store, and
// the same races with one answer changed.
func TestPorcupineAgrees(t *testing.T) {
	stores := map[string]func(t *testing.T) []fence.Store{
		"memory": func(*testing.T) []fence.Store { return []fence.Store{new(fence.Memory)} },
		"etcd": func(t *testing.T) []fence.Store {
			client, err := servers.EtcdClient(etcd.addr(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { client.Close() })
			return []fence.Store{casfence.New(etcdcas.New(client), "porcupine/")}
		},
	}
	for _, d := range databases {
		stores[d.dialect.String()] = func(t *testing.T) []fence.Store {
			dsn := d.where(t)
			s := sqlfence.NewStore(open(t, d.driver, dsn), d.dialect)
			if err := s.CreateSchema(t.Context()); err != nil {
				t.Fatal(err)
			}
			return []fence.Store{s, sqlfence.NewStore(open(t, d.driver, dsn), d.dialect)}
		}
	}
	for name, opened := range stores {
		t.Run(name, func(t *testing.T) {
			seed := rand.Uint64()
			h, err := fencetest.Race(within(t), opened(t), fmt.Sprint("porcupine ", seed, " "), racers, seed)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := h.Check(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			if got := judge(h); got != porcupine.Ok {
				t.Errorf("seed %d: Porcupine says %v", seed, got)
			}
			wrong := spoilt(h, rand.New(rand.NewPCG(seed, 1)))
			ours, theirs := wrong.Check() == nil, judge(wrong)
			if theirs != porcupine.Unknown && ours != (theirs == porcupine.Ok) {
				t.Errorf("seed %d, one answer changed: ours %v, Porcupine %v", seed, ours, theirs)
			}
		})
	}
}

// spoilt gives the history with one answer changed.
func spoilt(h fencetest.History, chance *rand.Rand) fencetest.History {
	h = append(fencetest.History(nil), h...)
	for {
		e := &h[chance.IntN(len(h))]
		switch {
		case e.Kind == fencetest.AcceptedEvent:
			e.Token++
		case e.Kind == fencetest.WriteEvent && e.End == fencetest.Refused:
			e.End, e.Accepted = fencetest.Done, 0
		default:
			continue
		}
		return h
	}
}
