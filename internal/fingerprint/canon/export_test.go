package canon

// DeferFrom sets from which size objects are put in order in the last pass.
func (w *Writer) DeferFrom(n int) { w.deferFrom = max(n, 0) }

// Moved is how many bytes were copied to put members in order, in the last
// text.
func (w *Writer) Moved() int { return w.moved }

// Looked is how many bytes of names were looked at to sort objects of more than
// a few members, in the last text.
func (w *Writer) Looked() int { return w.sorter.looked }

// Held is how many bytes the largest buffer has.
func (w *Writer) Held() int { return cap(w.spare) }
