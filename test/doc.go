// Package test holds the tests of whole servers: they start CoreDNS with steer from
// Corefile text, on loopback, and ask it real queries. What needs the real binary is
// here as well, and so are the rules that hold for the whole repository.
package test
