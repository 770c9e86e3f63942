package timeline

// glyph is how a [Sign] looks: an outline around (0, 0) in the language of SVG paths,
// some ten pixels across. The page draws the very same outlines.
type glyph struct {
	Name string `json:"name"` // of the class; of what colour it is says the style
	Path string `json:"path"`
	// Solid says that it is filled and not drawn as a line.
	Solid bool   `json:"solid"`
	Means string `json:"means"` // in the legend
	// Trouble is set in the page's data alone: see [Sign.isTrouble].
	Trouble bool `json:"trouble"`
}

const (
	cross  = "M-3.5-3.5L3.5 3.5M3.5-3.5L-3.5 3.5"
	circle = "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z"
)

// glyphs are those of all signs.
var glyphs = [...]glyph{
	SignLapse:    {Name: "lapse", Path: "M-8-4.5H0V4.5Z", Solid: true, Means: "lapsed"},
	SignRelease:  {Name: "release", Path: circle, Solid: false, Means: "released"},
	SignWithdraw: {Name: "withdraw", Path: circle, Solid: false, Means: "withdrawn from the queue"},
	SignEvict:    {Name: "evict", Path: "M-3-3H3V3H-3Z", Solid: false, Means: "taken by an operator"},
	SignAbort:    {Name: "abort", Path: cross, Solid: false, Means: "aborted"},
	SignShorten:  {Name: "shorten", Path: "M2.5-4L-2 0L2.5 4", Solid: false, Means: "renewed and shortened"},
	SignRenew:    {Name: "renew", Path: "M-2.5-4L2 0L-2.5 4", Solid: false, Means: "renewed"},
	SignWrite:    {Name: "write", Path: "M0-5V5", Solid: false, Means: "write accepted"},
	SignRefuse:   {Name: "refuse", Path: "M0-6V6" + cross, Solid: false, Means: "write refused as stale"},
	SignFail:     {Name: "fail", Path: cross, Solid: false, Means: "operation refused"},
	SignLook:     {Name: "look", Path: "M-1.6 0a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0-3.2 0Z", Solid: true, Means: "answer"},
	SignOperator: {Name: "operator", Path: "M0-4L4 0L0 4L-4 0Z", Solid: false, Means: "operator's change"},
	SignDeadlock: {Name: "deadlock", Path: "M0-6L6 0L0 6L-6 0Z", Solid: true, Means: "deadlock"},
}

// isTrouble tells the signs of what somebody after an incident looks for.
func (s Sign) isTrouble() bool { return s == SignRefuse || s == SignAbort || s == SignDeadlock }

// onLane tells the signs that are in the strip below the bars of a lane.
func (s Sign) onLane() bool { return s > SignRenew }
