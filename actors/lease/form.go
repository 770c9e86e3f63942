package lease

// Form is what is wrong with the form of an operation that was refused for it (O1..O3,
// O5..O7, E3, R3), for people: what the code alone does not say.
type Form struct {
	Rule string // of the check that it fails: "O7"
	Kind Kind   // what it asks for; Refused if that is none of the dialect

	// Client and Lock are the names at their places, empty where there is none.
	Client, Lock string

	Part  string // what of it is wrong: "the ttl"
	Given string // the JSON text of that
	Fault string // what is wrong with it: "is no integer"
}
