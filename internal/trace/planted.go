package trace

import "time"

// Phase says that a run is half of a check that is made in two: operations are
// planted now and harvested later.
type Phase string

// Phases; the empty one is a run that is judged by itself.
const (
	PhasePlant   Phase = "plant"   // the trace is a plant file
	PhaseHarvest Phase = "harvest" // events of the planting have times below 0
)

// Planted is what a harvest knows of the planting that it goes back to.
type Planted struct {
	Run        string       `json:"run"`   // its run id
	Epoch      string       `json:"epoch"` // of its trace
	Remembered []Remembered `json:"remembered,omitempty"`
}

// Remembered is what an earlier harvest saw: keys of an operation were still
// remembered so long after their first request, in nanoseconds.
type Remembered struct {
	Operation string `json:"operation"`
	Run       string `json:"run"` // of that harvest
	After     int64  `json:"after"`
}

// Harvest is what a harvest adds to a plant file: before it sends anything what
// it will use, and at its end what it saw.
type Harvest struct {
	Run        string       `json:"run"`
	Epoch      string       `json:"epoch"`
	Uses       []Use        `json:"uses,omitempty"`
	Remembered []Remembered `json:"remembered,omitempty"`
	Cleaned    bool         `json:"cleaned,omitempty"` // cleanup was called for the planted operations
}

// Use is one planted operation that a harvest sends again.
type Use struct {
	Operation string `json:"operation"`
	Record    string `json:"record"` // "replay-1"
	As        string `json:"as"`     // "replay", "last", "conflict", "forget", "extended"
}

// At is when the harvest began, on the clock of a planting with that epoch; 0
// where the harvest does not say.
func (h Harvest) At(planting time.Time) int64 {
	began, err := time.Parse(time.RFC3339Nano, h.Epoch)
	if err != nil {
		return 0
	}
	return int64(began.Sub(planting))
}
