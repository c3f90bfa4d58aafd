package keysource

import (
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/idem-toolkit/idem/internal/problem"
)

// checkReaders refuses a key file that anyone but its owner, SYSTEM and the
// Administrators can read.
func checkReaders(f *os.File, _ fs.FileInfo, path string) error {
	sd, err := windows.GetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return problem.New("", "its access list cannot be read: %s", err)
	}
	owner, _, err := sd.Owner()
	if err != nil || owner == nil {
		return problem.New("", "its owner cannot be read")
	}
	acl, _, err := sd.DACL()
	if err != nil || acl == nil {
		return refusal("everyone", path) // no list: all may
	}
	for i := range uint32(acl.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(acl, i, &ace); err != nil {
			return problem.New("", "its access list cannot be read: %s", err)
		}
		e := entry{kind: ace.Header.AceType, flags: ace.Header.AceFlags, mask: uint32(ace.Mask)}
		if e.kind == windows.ACCESS_ALLOWED_ACE_TYPE {
			e.sid = (*windows.SID)(unsafe.Pointer(&ace.SidStart)).String()
		}
		if e.lets(owner.String()) {
			return refusal(e.sid, path)
		}
	}
	return nil
}

func refusal(who, path string) error {
	if who == "" {
		who = "another account"
	}
	return problem.New("", "%s can read it, and only owner, SYSTEM and Administrators may", who).
		WithHint(`icacls "%s" /inheritance:r /grant:r "%%USERNAME%%:F"`, path)
}
