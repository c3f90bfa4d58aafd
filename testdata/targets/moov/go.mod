module github.com/idem-toolkit/idem/testdata/targets/moov

go 1.26.0

require github.com/moov-io/base v0.27.5

require github.com/hashicorp/golang-lru v0.5.4 // indirect
