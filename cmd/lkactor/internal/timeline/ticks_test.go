package timeline

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/leasekeeper/lkactor/actors/lease"
	"github.com/leasekeeper/lkactor/actors/oplog"
	"github.com/leasekeeper/lkactor/cmd/lkactor/internal/telling"
)

func liveClock(t *testing.T) telling.Clock {
	t.Helper()
	d := oplog.NewDecoder(strings.NewReader(`{"lkactor":1,"unit":"ns","zero":"2026-03-01T12:00:00.25Z","engine":"0b5b8d5e-8a4e-4c55-9d7c-5b1f7a0c2f11"}`), "log", oplog.Lines)
	h, err := d.Header()
	if err != nil {
		t.Fatal(err)
	}
	return telling.ClockOf(h)
}

func TestTicks(t *testing.T) {
	const s, m, h = 1e9, 60e9, 3600e9
	live := liveClock(t)
	for _, test := range []struct {
		clock    telling.Clock
		from, to lease.Instant
		want     string
	}{
		{telling.Clock{}, 0, 65, "0:0 10:10 20:20 30:30 40:40 50:50 60:60"},
		{telling.Clock{}, -13, 4, "-10:-10 -5:-5 0:0"},
		{telling.Clock{}, 3, 3, "3:3"},
		{telling.Clock{}, 7, 9, "7:7 8:8 9:9"},
		{telling.Clock{}, -1 << 62, 1<<62 + 86400, "-4000000000000000000:-4000000000000000000 -2000000000000000000:-2000000000000000000 0:0 2000000000000000000:2000000000000000000 4000000000000000000:4000000000000000000"},
		{telling.Clock{}, math.MaxInt64 - 3, math.MaxInt64, "9223372036854775804:9223372036854775804 9223372036854775805:9223372036854775805 9223372036854775806:9223372036854775806 9223372036854775807:9223372036854775807"},
		{live, 0, 4 * s, "750000000:12:00:01 1750000000:12:00:02 2750000000:12:00:03 3750000000:12:00:04"},
		{live, 0, 20 * m, "299750000000:12:05 599750000000:12:10 899750000000:12:15 1199750000000:12:20"},
		{live, 0, 100 * h, "43199750000000:2026-03-02 129599750000000:2026-03-03 215999750000000:2026-03-04 302399750000000:2026-03-05"},
		{live, 0, 12e6, "0:12:00:00.250 2000000:12:00:00.252 4000000:12:00:00.254 6000000:12:00:00.256 8000000:12:00:00.258 10000000:12:00:00.260 12000000:12:00:00.262"},
		{live, 0, 40e3, "0:00.250000 10000:00.250010 20000:00.250020 30000:00.250030 40000:00.250040"},
		{live, 1, 5, "1:00.250000001 2:00.250000002 3:00.250000003 4:00.250000004 5:00.250000005"},
	} {
		var got []string
		for _, tick := range ticks(test.clock, test.from, test.to, 7) {
			got = append(got, fmt.Sprintf("%d:%s", tick.at, tick.label))
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("from %d to %d: %s, want %s", test.from, test.to, text, test.want)
		}
	}
}

// Clients that come one after the other are told apart, and none is red.
func TestHues(t *testing.T) {
	for n := range 1_000 {
		h := hue(n)
		if h < redUntil || h > redFrom {
			t.Errorf("client %d has the hue %d", n, h)
		}
		for back := 1; back <= 4; back++ {
			if n >= back && math.Abs(float64(h-hue(n-back))) < 25 {
				t.Errorf("clients %d and %d have the hues %d and %d", n-back, n, hue(n-back), h)
			}
		}
	}
}
