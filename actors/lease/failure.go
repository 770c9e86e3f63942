package lease

import "fmt"

// Failure is a panic inside an actor. Its state is then unknown, so the engine
// stops; it never goes on with an empty or half-changed actor. Every caller
// whose operation was in hand or comes later gets it as its error.
type Failure struct {
	Actor string // who failed: "lock", "client", "deadlock", "sequencer", or a "listener" to them
	Name  string // the name of the lock or client, empty for the others
	// Step is the operation that a lock had in hand, nil where it is not known.
	Step *Step
	// Cause is what was panicked with.
	Cause any
}

// Fault gives the Failure of an actor that has panicked with cause.
func Fault(who, name string, step *Step, cause any) error {
	f := &Failure{Actor: who, Name: name, Cause: cause}
	if step != nil {
		copied := *step
		copied.Next, copied.Result = nil, nil
		f.Step = &copied
	}
	return f
}

// Error says who failed, at which operation and why.
func (f *Failure) Error() string {
	text := f.Actor + " actor"
	if f.Actor == "listener" {
		text = f.Actor
	}
	if f.Name != "" {
		text = fmt.Sprintf("actor of %s %q", f.Actor, f.Name)
	}
	if f.Step != nil {
		text += " at " + f.Step.Kind.String()
		if f.Step.Client != nil {
			text += fmt.Sprintf(" by client %q", f.Step.Client.Name)
		}
	}
	return fmt.Sprintf("%s failed: %v", text, f.Cause)
}
