// Package reference is a fictional charges API that keeps an idempotency
// contract, as a server to try verifiers on and as a pattern to read. It moves
// no money.
//
// It shares no code with the rooms that verify or fingerprint, so that their
// mistakes are not mirrored by the server they are tried on.
//
// In reading order:
//
//	record.go       what is kept of a key: scope, fingerprint, state, lease, answer
//	behaviour.go    the points at which implementations go wrong, as one interface
//	correct.go      the right behaviour at each of them
//	service.go      options, the service, routes
//	reads.go        what changes nothing: lists, health; and the hook that moves time
//	call.go         a request as understood before anything is claimed
//	operation.go    charges and refunds: what is asked for and what is answered
//	strict.go       JSON that two readers cannot understand differently
//	problems.go     refusals as problem+json
//	perform.go      claim, own, wait, replay: the life of one request
//	own.go          what the owner of a key does: renew, execute, commit or release
//	external.go     an effect at another service: intent first, reconciled after a crash
//	keeper.go       sweeping expired records, reconciling orphaned intents
//	server.go       HTTP limits and time-outs, clean shutdown
//	store.go        what a store must do, and open.go which there are
//	sql*.go         the one SQL implementation, sqlite.go and postgres.go what differs
//	hub.go          who waits for whom
//
// A fault or a legal style is a type that embeds a Behaviour and replaces a
// method or two.
package reference
