package subscription

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// Formats of deliveries to chat services.
const (
	Teams = "teams"
	Slack = "slack"
)

// IsChat reports whether a format is one of chat services. Their URLs are credentials: anyone who has one can post.
func IsChat(format string) bool { return format == Teams || format == Slack }

// hidden stands for the part of a URL that is not shown.
const hidden = "…"

// ShownURL is the URL of a webhook without the parts that may be secret: its query, and for chat services its path.
func ShownURL(format, full string) string {
	if IsChat(format) {
		u, err := url.Parse(full)
		if err != nil {
			return hidden
		}
		return u.Scheme + "://" + u.Host + "/" + hidden
	}
	if before, _, found := strings.Cut(full, "?"); found {
		return before + "?" + hidden
	}
	return full
}

// urlPlace is where the URL of a webhook is sealed.
func urlPlace(id string) seal.Place {
	return seal.Place{Table: "webhook", Column: "url_sealed", Row: id}
}

// sealURL gives the shown form of a URL, and the sealed one if that hides a part of it.
func sealURL(
	ctx context.Context,
	tx *pg.Tx,
	ring *seal.Keyring,
	id string,
	s Settings,
) (shown string, sealed []byte, err error) {
	shown = ShownURL(s.Format, s.URL)
	if shown == s.URL {
		return shown, nil, nil
	}
	if sealed, err = ring.Seal(ctx, tx, urlPlace(id), []byte(s.URL)); err != nil {
		return "", nil, fmt.Errorf("seal URL: %w", err)
	}
	return shown, sealed, nil
}

// FullURL is the whole URL of a webhook.
func FullURL(ctx context.Context, tx *pg.Tx, ring *seal.Keyring, r Row) (string, error) {
	if len(r.SealedURL) == 0 {
		return r.URL, nil
	}
	plain, err := ring.Open(ctx, tx, urlPlace(r.ID), r.SealedURL)
	if err != nil {
		return "", fmt.Errorf("open URL of webhook %s: %w", r.ID, err)
	}
	return string(plain), nil
}
