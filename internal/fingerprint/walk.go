package fingerprint

// walk visits v and everything below it in the order of the text, but for
// what is in skip. It stops at the first error. path is only valid during the
// visit.
func walk(v *Value, path []step, skip map[*Value]bool, visit func(path []step, v *Value) error) error {
	if skip[v] {
		return nil
	}
	if err := visit(path, v); err != nil {
		return err
	}
	for i, item := range v.Items {
		if err := walk(item, append(path, step{index: i}), skip, visit); err != nil {
			return err
		}
	}
	for _, m := range v.Members {
		if err := walk(m.Value, append(path, step{name: m.Name, index: -1}), skip, visit); err != nil {
			return err
		}
	}
	return nil
}

// firstLossy gives the error for the first number that Strict refuses.
func firstLossy(v *Value, skip map[*Value]bool) error {
	return walk(v, nil, skip, func(path []step, v *Value) error {
		if v.Kind != KindNumber || lossless(v.Number) {
			return nil
		}
		e := lossyError(path, v.Number)
		e.Offset, e.Pointer = v.Offset, pointerText(path)
		return e
	})
}
