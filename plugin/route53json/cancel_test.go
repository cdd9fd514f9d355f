package route53json_test

import (
	"context"
	"errors"
	"testing"

	"github.com/steerdns/steer/plugin/record"
	"github.com/steerdns/steer/plugin/route53json"
)

// countdown is a context that ends when it has been asked a number of times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A load looks whether it is still wanted at every piece of a file and every few thousand
// record sets, and ends where it is not.
func TestCanceled(t *testing.T) {
	const sets = 20_000
	path := generated(t, sets)
	options := route53json.Options{Zones: []string{"example.com."}, DefaultTTL: 60}
	load := func(ctx context.Context) error {
		im, err := route53json.Load(ctx, []string{path}, options)
		if err != nil {
			return err
		}
		return im.AddTo(ctx, record.NewCatalog(options.Zones))
	}
	const enough = 1 << 20
	all := &countdown{t.Context(), enough}
	if err := load(all); err != nil {
		t.Fatal(err)
	}
	looks := enough - all.left
	if least := sets*200>>16 + 3*(sets/2/4096); looks < least { // a record set has 200 bytes at least, a group two of them
		t.Errorf("%d looks at the context, want %d at least", looks, least)
	}
	for n := 0; n < looks; n += 1 + looks/20 {
		if err := load(&countdown{t.Context(), n}); !errors.Is(err, context.Canceled) {
			t.Fatalf("canceled at look %d of %d: error %v", n, looks, err)
		}
	}
}
