package pack

import (
	"archive/zip"
	"bytes"
	"time"
)

// ZipFolder is the folder that holds a zipped pack's files, so that unpacking
// it strews nothing.
const ZipFolder = "idem-pack/"

// Zip gives the files as a zip archive: the same files give the same bytes.
// Times are the first that the format knows, files are readable for all.
func Zip(files []File) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: ZipFolder + f.Name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(0o644)
		if f.Executable {
			h.SetMode(0o755)
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write(f.Content)
		}
		if err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
