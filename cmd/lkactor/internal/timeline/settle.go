package timeline

import (
	"slices"
	"strings"
)

// settle brings the lanes into the order of their names, leaves out those and the
// clients that nothing is left of, and says how much room each lane needs.
func (c *Chart) settle() {
	lanes, clients := make([]bool, len(c.Lanes)), make([]bool, len(c.Clients))
	c.numbers(func(lane *int) { lanes[*lane] = true }, func(client *int) { clients[*client] = true })

	order := chosen(lanes)
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(c.Lanes[a].Lock, c.Lanes[b].Lock) })
	laneTo, clientTo := places(order, len(lanes)), places(chosen(clients), len(clients))
	c.Lanes, c.Clients = picked(c.Lanes, order), picked(c.Clients, chosen(clients))
	c.numbers(func(lane *int) { *lane = laneTo[*lane] }, func(client *int) { *client = clientTo[*client] })

	for _, bar := range c.Bars {
		if l := &c.Lanes[bar.Lane]; bar.Wait {
			l.Waits = max(l.Waits, bar.Row+1)
		} else {
			l.Leases = max(l.Leases, bar.Row+1)
		}
	}
}

// numbers goes through all numbers of lanes and of clients on the chart.
func (c *Chart) numbers(lane, client func(*int)) {
	for i := range c.Bars {
		lane(&c.Bars[i].Lane)
		client(&c.Bars[i].Client)
	}
	for i := range c.Marks {
		lane(&c.Marks[i].Lane)
	}
	for i := range c.Notes {
		lane(&c.Notes[i].Lane)
		if c.Notes[i].Client >= 0 {
			client(&c.Notes[i].Client)
		}
	}
	for i := range c.Knots {
		k := &c.Knots[i]
		lane(&k.Lane)
		client(&k.Victim)
		for j := range k.Edges {
			lane(&k.Edges[j].Lane)
			client(&k.Edges[j].Waiter)
			client(&k.Edges[j].Blocker)
		}
	}
}

// chosen gives the numbers that are marked, ascending.
func chosen(marked []bool) []int {
	var all []int
	for i, is := range marked {
		if is {
			all = append(all, i)
		}
	}
	return all
}

// places turns an order round: where each of n has gone.
func places(order []int, n int) []int {
	to := make([]int, n)
	for place, i := range order {
		to[i] = place
	}
	return to
}

func picked[T any](all []T, order []int) []T {
	some := make([]T, len(order))
	for place, i := range order {
		some[place] = all[i]
	}
	return some
}
