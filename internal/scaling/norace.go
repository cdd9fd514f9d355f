//go:build !race

package scaling

// distorted is whether the race detector is on.
const distorted = false
