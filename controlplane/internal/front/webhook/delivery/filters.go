package delivery

import (
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// DeliveryFilters narrow the list of deliveries; each one given must hold.
type DeliveryFilters struct {
	// Several values, separated by commas.
	State []string `query:"state" enum:"pending,succeeded,exhausted,skipped"`
	// Several values, separated by commas.
	EventType []string `query:"event_type"`
	// Several values, separated by commas.
	Purpose []string `query:"purpose" enum:"event,redelivery,replay,ping"`
	EventID string   `query:"event_id" format:"uuid"`
	// Made then or later.
	From time.Time `query:"from"`
	// Made before.
	To time.Time `query:"to"`
}

func (f DeliveryFilters) query(webhook string) (string, pgx.NamedArgs) {
	sql := strings.Builder{}
	sql.WriteString(`from webhook_delivery d where d.tenant_id = current_tenant() and d.webhook_id = @webhook`)
	args := pgx.NamedArgs{"webhook": webhook}
	where := func(given bool, condition, name string, value any) {
		if given {
			sql.WriteString(" and " + condition)
			args[name] = value
		}
	}
	where(len(f.State) > 0, "d.state = any(@state)", "state", f.State)
	where(len(f.EventType) > 0, "d.event_type = any(@type)", "type", f.EventType)
	where(len(f.Purpose) > 0, "d.purpose = any(@purpose)", "purpose", f.Purpose)
	where(f.EventID != "", "d.event_id = @event", "event", f.EventID)
	where(!f.From.IsZero(), "d.created_at >= @from", "from", f.From)
	where(!f.To.IsZero(), "d.created_at < @to", "to", f.To)
	return sql.String(), args
}
