# idem and nothing else, as a user who is nobody:
#
#   docker build --build-arg VERSION=0.1.0 --tag idem .
#   docker run --rm --read-only --cap-drop ALL --tmpfs /tmp --volume "$PWD:/work:ro" idem verify contract.yaml
#
# One commit and one VERSION give the same program, byte for byte: that of the
# release.
FROM --platform=$BUILDPLATFORM golang:1.26.8-alpine@sha256:8ac98ca534ac3f51e1f420a1dd2c15e74c75cfa0f23f3ad27eb5d7236c349a0c AS build
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=0.1.0-dev
ENV CGO_ENABLED=0 GOTOOLCHAIN=local
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY main.go ./
COPY cmd ./cmd
COPY internal ./internal
RUN GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false -ldflags "-s -w -X github.com/idem-toolkit/idem/cmd.Version=$VERSION" -o /out/idem .

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/idem /idem
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/idem"]
