package zoo

// Styles gives all legal styles.
func Styles() []Variant {
	return []Variant{}
}
