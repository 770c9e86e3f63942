package timeline

import (
	"fmt"
	"math"
)

// Colours of clients go round the circle of hues in steps of the golden ratio, so that
// those that come one after the other differ, however many there are. Red is left
// out: it is for what was refused.
const (
	firstHue = 200.0 // a blue
	goldStep = 0.6180339887498949
	redUntil = 25.0
	redFrom  = 335.0
)

// hue gives the colour of the n-th client in degrees.
func hue(n int) int {
	span := redFrom - redUntil
	_, turn := math.Modf((firstHue-redUntil)/span + float64(n)*goldStep)
	return int(redUntil + turn*span)
}

// The saturation and lightness of bars, in light and in dark surroundings; the text on
// them is dark and light.
const (
	lightTone = "62%%, 76%%"
	darkTone  = "42%%, 34%%"
)

func lightFill(n int) string { return fmt.Sprintf("hsl(%d, "+lightTone+")", hue(n)) }
func darkFill(n int) string  { return fmt.Sprintf("hsl(%d, "+darkTone+")", hue(n)) }
