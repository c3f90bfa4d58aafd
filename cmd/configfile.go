package cmd

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idem-toolkit/idem/internal/document"
	"github.com/idem-toolkit/idem/internal/problem"
)

// mostConfig bounds a config file's size in bytes.
const mostConfig = 1 << 20

// configFiles are where a config file was looked for and which one is read.
type configFiles struct {
	read   string   // empty: none is there
	looked []string // in order
}

// findConfig finds the one config file: the one that is named (--config, then
// IDEM_CONFIG), else idem.yaml in the working directory, else the user's own
// (XDG Base Directory Specification). A named one must be there.
func findConfig(app *App, c *cobra.Command) (configFiles, error) {
	if f := c.Flags().Lookup("config"); f != nil && f.Changed {
		if f.Value.String() == "" {
			return configFiles{}, problem.New("--config", "names no file").WithHint("--config idem.yaml")
		}
		return configFiles{f.Value.String(), []string{f.Value.String()}}, nil
	}
	if name, ok := app.LookupEnv("IDEM_CONFIG"); ok && name != "" {
		return configFiles{name, []string{name}}, nil
	}
	files := configFiles{looked: []string{"idem.yaml"}}
	if dir := userConfigDir(app); dir != "" {
		files.looked = append(files.looked, filepath.Join(dir, "idem", "config.yaml"))
	}
	for _, name := range files.looked {
		_, err := os.Stat(name)
		if err == nil {
			files.read = name
			return files, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return files, problem.New(name, "cannot be read: %s", reason(err))
		}
	}
	return files, nil
}

// userConfigDir is XDG_CONFIG_HOME, which counts only where it is absolute,
// else .config in the home directory; "" where there is neither.
func userConfigDir(app *App) string {
	if dir, _ := app.LookupEnv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if home, _ := app.LookupEnv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config")
	}
	return ""
}

// fileValue is one setting of a config file.
type fileValue struct {
	value any
	from  string // "idem.yaml:3"
}

// readConfig reads a config file as strictly as every file of idem; no file,
// or one without any setting, gives none.
func readConfig(file string) (map[string]fileValue, error) {
	if file == "" {
		return nil, nil
	}
	src, err := readConfigBytes(file)
	if err != nil || blank(src) {
		return nil, err
	}
	root, err := document.Parse(file, src)
	if err != nil {
		return nil, err
	}
	if root.Lookup("idem") != nil || root.Lookup("operations") != nil {
		return nil, problem.New(root.At(), "the config file is a contract").
			WithHint("rename it: idem.yaml holds settings, such as \"format: json\"; a contract may be contract.yaml")
	}
	list := settingList()
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.name
	}
	fields, err := document.ReadObject(root, "the config file", names...)
	if err != nil {
		return nil, err
	}
	values := map[string]fileValue{}
	for _, s := range list {
		n := fields.Get(s.name)
		if n == nil {
			continue
		}
		if n.Kind != s.kind {
			return nil, n.Errorf("%s must be %s, not %s", s.name, s.kind, n.Kind)
		}
		value, err := s.parse(n.At(), n.Text)
		if err != nil {
			return nil, err
		}
		values[s.name] = fileValue{value, place(n)}
	}
	return values, nil
}

func readConfigBytes(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nearer(problem.New(file, "the config file cannot be read: %s", reason(err)), file, file, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, problem.New(file, "the config file is a folder")
	}
	return readMost(f, file, mostConfig)
}

// blank says that a file has nothing in it but white space and comments.
func blank(src []byte) bool {
	for line := range bytes.Lines(src) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}
