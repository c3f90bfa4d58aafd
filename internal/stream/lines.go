package stream

import "bytes"

// lines works on the lines of a block, up to one that ends the stream.
func (p *pipeline) lines(b *block, work Work) {
	if b.refused != nil {
		p.fail(b, b.refused)
		return
	}
	for rest := b.in; len(rest) > 0 && b.err == nil; {
		var line []byte
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			line, rest = rest, nil
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) > p.MaxLine {
			p.fail(b, ErrLongLine)
			continue
		}
		if !blank(line) {
			out, err := work(b.out, line)
			if err != nil {
				p.fail(b, err)
				continue
			}
			b.out = out
		}
		b.out = append(b.out, '\n')
		b.lines++
	}
}

func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// fail puts an error in the place of a block's next line.
func (p *pipeline) fail(b *block, err error) {
	number := b.first + b.lines
	if p.OnError != nil {
		if out, on := p.OnError(b.out, number, err); on {
			b.out = append(out, '\n')
			b.lines++
			b.failed++
			return
		}
	}
	b.err = &LineError{Line: number, Err: err}
}
