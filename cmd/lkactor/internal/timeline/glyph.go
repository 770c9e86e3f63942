package timeline

// glyph is how a [Sign] looks: an outline around (0, 0) in the language of SVG paths,
// some ten pixels across. The page draws the very same outlines.
type glyph struct {
	Name string `json:"name"` // of the class; of what colour it is says the style
	Path string `json:"path"`
	// Solid says that it is filled and not drawn as a line.
	Solid bool   `json:"solid"`
	Means string `json:"means"` // in the legend
}

const (
	cross  = "M-3.5-3.5L3.5 3.5M3.5-3.5L-3.5 3.5"
	circle = "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z"
)

// glyphs are those of all signs.
var glyphs = [...]glyph{
	SignLapse:    {"lapse", "M-8-4.5H0V4.5Z", true, "lapsed"},
	SignRelease:  {"release", circle, false, "released"},
	SignWithdraw: {"withdraw", circle, false, "withdrawn from the queue"},
	SignEvict:    {"evict", "M-3-3H3V3H-3Z", false, "taken by an operator"},
	SignAbort:    {"abort", cross, false, "aborted"},
	SignShorten:  {"shorten", "M2.5-4L-2 0L2.5 4", false, "renewed and shortened"},
	SignRenew:    {"renew", "M-2.5-4L2 0L-2.5 4", false, "renewed"},
	SignWrite:    {"write", "M0-5V5", false, "write accepted"},
	SignRefuse:   {"refuse", "M0-6V6" + cross, false, "write refused as stale"},
	SignFail:     {"fail", cross, false, "operation refused"},
	SignLook:     {"look", "M-1.6 0a1.6 1.6 0 1 0 3.2 0a1.6 1.6 0 1 0-3.2 0Z", true, "answer"},
	SignOperator: {"operator", "M0-4L4 0L0 4L-4 0Z", false, "operator's change"},
	SignDeadlock: {"deadlock", "M0-6L6 0L0 6L-6 0Z", true, "deadlock"},
}

// onLane tells the signs that are in the strip below the bars of a lane.
func (s Sign) onLane() bool { return s > SignRenew }
