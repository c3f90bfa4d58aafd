package determ

import (
	"math"
	"testing"
)

// What chance gives, by which the spread of IDs is judged. The IDs are those
// of the public test secret, so a test gives the same figures at every run:
// bounds that chance would pass once in a million such tests pass nothing by
// luck.

// chancy is how seldom chance goes beyond a bound.
const chancy = 1e-6

// chiSquare is the sum of squared deviations from even counts, in units of
// what is expected.
func chiSquare(counts []int, total int) float64 {
	sum, expected := 0.0, float64(total)/float64(len(counts))
	for _, n := range counts {
		d := float64(n) - expected
		sum += d * d / expected
	}
	return sum
}

// chiSquareTails are how likely a chi-square of that many degrees of freedom is
// up to x and beyond it: the incomplete gamma functions of df/2 and x/2.
func chiSquareTails(df int, x float64) (below, above float64) {
	a, z := float64(df)/2, x/2
	if z <= 0 {
		return 0, 1
	}
	gamma, _ := math.Lgamma(a)
	front := math.Exp(a*math.Log(z) - z - gamma)
	if z < a+1 { // the series
		term := 1 / a
		sum := term
		for n := a + 1; term > sum*1e-16; n++ {
			term *= z / n
			sum += term
		}
		return front * sum, 1 - front*sum
	}
	// The continued fraction, by Lentz's way.
	const tiny = 1e-300
	b := z + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for i := 1.0; i < 1e5; i++ {
		k := i * (a - i)
		b += 2
		if d = k*d + b; math.Abs(d) < tiny {
			d = tiny
		}
		if c = b + k/c; math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		h *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return 1 - front*h, front * h
}

// poissonBounds are the fewest and the most events that are to be seen where
// mean are expected; fewer, and more, come with a probability of p at most.
func poissonBounds(mean, p float64) (fewest, most int) {
	term, below := math.Exp(-mean), 0.0
	fewest = -1
	for k := 0; ; k++ {
		if below+term > p && fewest < 0 {
			fewest = k
		}
		if below += term; float64(k) > mean && 1-below < p {
			return fewest, k
		}
		term *= mean / float64(k+1)
	}
}

// deviation is how many standard deviations a count of heads among throws of a
// fair coin is away from half of them.
func deviation(heads, throws int) float64 {
	return (2*float64(heads) - float64(throws)) / math.Sqrt(float64(throws))
}

// normalBound is how many standard deviations one of many figures may be away
// before chance would have one of them there with a probability above p.
func normalBound(figures int, p float64) float64 {
	return math.Sqrt2 * math.Erfcinv(p/float64(figures))
}

// TestChance holds the measures themselves to figures from tables.
func TestChance(t *testing.T) {
	for _, c := range []struct {
		df   int
		x, p float64 // p lies beyond x
	}{
		{1, 3.841, 0.05}, {10, 18.307, 0.05}, {15, 37.697, 0.001}, {31, 61.098, 0.001},
		{31, 14.458, 0.995}, {100, 149.449, 0.001}, {100, 67.328, 0.995}, {1, 10.828, 0.001},
	} {
		below, above := chiSquareTails(c.df, c.x)
		if math.Abs(above-c.p) > 0.01*min(c.p, 1-c.p) || math.Abs(below+above-1) > 1e-12 {
			t.Errorf("chi-square %g of %d degrees: %g below and %g beyond, want %g", c.x, c.df, below, above, c.p)
		}
	}
	if fewest, most := poissonBounds(10, 0.025); fewest != 4 || most != 17 {
		t.Errorf("of 10 expected 95 %% lie in %d to %d", fewest, most)
	}
	if fewest, most := poissonBounds(0.1, chancy); fewest != 0 || most != 4 {
		t.Errorf("of 0.1 expected all but a millionth lie in %d to %d", fewest, most)
	}
	if d := deviation(60, 100); math.Abs(d-2) > 1e-12 {
		t.Errorf("60 heads of 100 are %g deviations away", d)
	}
	if b := normalBound(1, 0.05); math.Abs(b-1.95996) > 1e-4 {
		t.Errorf("95 %% lie within %g deviations", b)
	}
}
