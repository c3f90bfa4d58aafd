package determ

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
)

// Encoding is how a tag is written as an ID.
type Encoding string

// The encodings of determ-v1, Steps 5.
const (
	ID        Encoding = "id"        // prefix _ version _ 32 characters of 160 bits
	Short     Encoding = "short"     // those 32 characters alone
	UUID      Encoding = "uuid"      // RFC 9562 version 8
	UUID4     Encoding = "uuid4"     // marked as version 4, for APIs that insist; not random
	Hex       Encoding = "hex"       // the whole tag, 64 characters
	Base64URL Encoding = "base64url" // the whole tag, 43 characters
)

func encodingWords() []string {
	return []string{string(ID), string(Short), string(UUID), string(UUID4), string(Hex), string(Base64URL)}
}

const (
	crockfordAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	base64URLAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	shortBytes        = 20
)

// appendCrockford32 writes most significant bit first. It is used where the
// bits are a multiple of five, so nothing is padded.
func appendCrockford32(out, b []byte) []byte {
	bits, have := uint(0), 0
	for _, c := range b {
		bits, have = bits<<8|uint(c), have+8
		for have >= 5 {
			have -= 5
			out = append(out, crockfordAlphabet[bits>>have&31])
		}
	}
	return out
}

func crockford32(b []byte) string { return string(appendCrockford32(nil, b)) }

// Encode writes a tag as the ID of one version of a recipe.
func (e Encoding) Encode(prefix string, version int, tag [32]byte) string {
	return string(e.append(nil, prefix, version, tag))
}

func (e Encoding) append(out []byte, prefix string, version int, tag [32]byte) []byte {
	switch e {
	case Short:
		return appendCrockford32(out, tag[:shortBytes])
	case UUID:
		return appendUUID(out, tag, 8)
	case UUID4:
		return appendUUID(out, tag, 4)
	case Hex:
		return hex.AppendEncode(out, tag[:])
	case Base64URL:
		return base64.RawURLEncoding.AppendEncode(out, tag[:])
	}
	out = append(append(out, prefix...), '_')
	out = append(strconv.AppendInt(out, int64(version), 10), '_')
	return appendCrockford32(out, tag[:shortBytes])
}

// appendUUID lays the first 16 bytes out by RFC 9562 section 4: version in the
// high nibble of octet 6, variant 10 in the top bits of octet 8.
func appendUUID(out []byte, tag [32]byte, version byte) []byte {
	u := [16]byte(tag[:16])
	u[6] = version<<4 | u[6]&0x0F
	u[8] = 0x80 | u[8]&0x3F
	for i, part := range [][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if i > 0 {
			out = append(out, '-')
		}
		out = hex.AppendEncode(out, part)
	}
	return out
}

// length is that of every ID of the encoding.
func (e Encoding) length(prefix string, version int) int {
	return len(e.Encode(prefix, version, [32]byte{}))
}

// characters are all that an ID of the encoding may hold.
func (e Encoding) characters(prefix string) string {
	const hexDigits = "0123456789abcdef"
	switch e {
	case Short:
		return crockfordAlphabet
	case UUID, UUID4:
		return hexDigits + "-"
	case Hex:
		return hexDigits
	case Base64URL:
		return base64URLAlphabet
	}
	return prefix + "_" + crockfordAlphabet
}

// Describe says in words how the ID comes out of the tag.
func (e Encoding) Describe(prefix string, version int) string {
	switch e {
	case Short:
		return "crockford32 of the tag's first 20 bytes"
	case UUID:
		return "UUID version 8 (RFC 9562) of the tag's first 16 bytes"
	case UUID4:
		return "the tag's first 16 bytes marked as UUID version 4; not random"
	case Hex:
		return "hexadecimal of the tag's 32 bytes"
	case Base64URL:
		return "base64url of the tag's 32 bytes, no padding"
	}
	return prefix + "_" + strconv.Itoa(version) + "_ and crockford32 of the tag's first 20 bytes"
}
