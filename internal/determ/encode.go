package determ

import (
	"encoding/base32"
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

// crockford32 writes most significant bit first. It is used where the bits
// are a multiple of five, so nothing is padded.
func crockford32(b []byte) string {
	return base32.NewEncoding(crockfordAlphabet).WithPadding(base32.NoPadding).EncodeToString(b)
}

// Encode writes a tag as the ID of one version of a recipe.
func (e Encoding) Encode(prefix string, version int, tag [32]byte) string {
	switch e {
	case Short:
		return crockford32(tag[:shortBytes])
	case UUID:
		return uuid(tag, 8)
	case UUID4:
		return uuid(tag, 4)
	case Hex:
		return hex.EncodeToString(tag[:])
	case Base64URL:
		return base64.RawURLEncoding.EncodeToString(tag[:])
	}
	return prefix + "_" + strconv.Itoa(version) + "_" + crockford32(tag[:shortBytes])
}

// uuid lays the first 16 bytes out by RFC 9562 section 4: version in the high
// nibble of octet 6, variant 10 in the top bits of octet 8.
func uuid(tag [32]byte, version byte) string {
	var u [16]byte
	copy(u[:], tag[:])
	u[6] = version<<4 | u[6]&0x0F
	u[8] = 0x80 | u[8]&0x3F
	h := hex.EncodeToString(u[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
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
