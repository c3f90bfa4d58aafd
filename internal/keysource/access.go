package keysource

// entry is one entry of a Windows access list, taken apart so that the
// judgement can be tried on every platform.
type entry struct {
	kind  uint8 // 0 allows, 1 denies, others are conditional or for objects
	flags uint8
	mask  uint32
	sid   string // of an entry of kind 0
}

const (
	aceAllows      = 0
	aceDenies      = 1
	inheritOnly    = 0x8
	readData       = 0x1
	writeDACL      = 0x40000 // who may change the list may read
	writeOwner     = 0x80000 // who may take the file may change the list
	genericAll     = 1 << 28
	genericRead    = 1 << 31
	maximumAllowed = 1 << 25

	sidSystem         = "S-1-5-18"
	sidAdministrators = "S-1-5-32-544"
	sidOwnerRights    = "S-1-3-4"
)

// lets says whether the entry lets someone read the file who may not. What an
// entry of an unknown kind lets, nobody here can tell: it counts as read.
func (e entry) lets(owner string) bool {
	if e.kind == aceDenies || e.flags&inheritOnly != 0 {
		return false
	}
	if e.mask&(readData|writeDACL|writeOwner|genericAll|genericRead|maximumAllowed) == 0 {
		return false
	}
	if e.kind != aceAllows {
		return true
	}
	switch e.sid {
	case owner, sidSystem, sidAdministrators, sidOwnerRights:
		return false
	}
	return true
}
