package rounds

import "slices"

// Times are nanoseconds per operation, one figure per round. On a machine that
// does other things too, the wall clock counts those as well and the processor's
// time does not; but only the wall clock shows what a second core is good for.
type Times []float64

// Median is the median of the rounds; zero where there are none.
func (t Times) Median() float64 { return Quantile(slices.Sorted(slices.Values(t)), 0.5) }

// Ratio is the median, over the rounds, of how many times as long as the base
// this took in the same round; zero where the base was not measured.
func (t Times) Ratio(base Times) float64 {
	ratios := make(Times, min(len(t), len(base)))
	for i := range ratios {
		if base[i] > 0 {
			ratios[i] = t[i] / base[i]
		}
	}
	return ratios.Median()
}

// Above is the median, over the rounds, of how much longer than the base this
// took in the same round.
func (t Times) Above(base Times) float64 {
	excess := make(Times, min(len(t), len(base)))
	for i := range excess {
		excess[i] = t[i] - base[i]
	}
	return excess.Median()
}

// Quantile gives the value below which that share of the sorted values lies,
// between two of them where it lies between; zero where there are none.
func Quantile[T int64 | float64](sorted []T, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := share * float64(len(sorted)-1)
	below := int(at)
	above := min(below+1, len(sorted)-1)
	part := at - float64(below)
	return float64(sorted[below])*(1-part) + float64(sorted[above])*part
}
