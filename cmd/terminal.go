package cmd

import "strconv"

// Bounds of the columns that text for people is broken at.
const (
	narrowest = 60
	widest    = 120
)

// columns is where text for people is broken on standard output: by COLUMNS,
// else by the terminal's size. It is 0 where standard output is no terminal, so
// that a pipe gets the same bytes everywhere.
func (a *App) columns() int {
	if !a.OutTTY {
		return 0
	}
	text, _ := a.LookupEnv("COLUMNS")
	n, err := strconv.Atoi(text)
	if (err != nil || n <= 0) && a.Columns != nil {
		n = a.Columns()
	}
	if n <= 0 {
		return 0
	}
	return min(max(n, narrowest), widest)
}
