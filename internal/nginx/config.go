package nginx

import (
	"fmt"
	"os"
	"strings"
)

// Config is what is told to an nginx beyond its defaults.
type Config struct {
	// Upstreams are the services behind it, which take turns: HOST:PORT, and after
	// it the parameters of a server directive, such as "max_fails=0".
	Upstreams []string
	// Streaming turns proxy_request_buffering off: a request is passed on as it
	// comes. The default is to pass it on when it is whole.
	Streaming bool
	// Further directives, without semicolons.
	HTTP     []string // of the http block
	Server   []string // of the server
	Location []string // of the one location, /
}

// frame is the configuration around the caller's: no daemon, loopback alone, and
// nothing written outside of one folder.
const frame = `daemon off;
%[1]sworker_processes 1;
pid %[2]s/nginx.pid;
error_log %[2]s/error.log warn;
events { worker_connections 1024; }
http {
  log_format passed '$request_method $uri $status $upstream_addr $upstream_status';
  access_log %[2]s/access.log passed;
  client_body_temp_path %[2]s/body;
  proxy_temp_path %[2]s/proxy;
  fastcgi_temp_path %[2]s/fastcgi;
  uwsgi_temp_path %[2]s/uwsgi;
  scgi_temp_path %[2]s/scgi;
%[3]s  upstream service {
%[4]s  }
  server {
    listen %[5]s;
    listen %[6]s http2;
    listen %[7]s ssl http2;
    ssl_certificate %[2]s/certificate.pem;
    ssl_certificate_key %[2]s/key.pem;
%[8]s    location / {
      proxy_pass http://service;
%[9]s    }
  }
}
`

// text is the whole file. As root nginx would give its worker to a user that
// may not enter the folder.
func (c Config) text(s *Server) string {
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;\n"
	}
	var servers []string
	for _, u := range c.Upstreams {
		servers = append(servers, "server "+u)
	}
	location := c.Location
	if c.Streaming {
		location = append([]string{"proxy_request_buffering off"}, location...)
	}
	return fmt.Sprintf(frame, user, s.dir, lines(2, c.HTTP), lines(4, servers),
		s.Plain, s.Prior, s.Secure, lines(4, c.Server), lines(6, location))
}

func lines(indent int, directives []string) string {
	var b strings.Builder
	for _, d := range directives {
		b.WriteString(strings.Repeat(" ", indent) + d + ";\n")
	}
	return b.String()
}
