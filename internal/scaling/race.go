//go:build race

package scaling

// distorted is whether the race detector is on, which makes some work much slower than
// other work.
const distorted = true
