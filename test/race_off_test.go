//go:build !race

package test

// underRace is whether the tests are built with the race detector.
const underRace = false
