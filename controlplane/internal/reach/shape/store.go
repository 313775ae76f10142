package shape

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// save writes settings, unless they are the old ones, and gives the connector's version. A new template has the
// accounts that it is about looked at.
func save(ctx context.Context, tx *pg.Tx, before, after Config) (int, error) {
	changes := changesOf(before.stored, after.stored)
	if len(changes) == 0 {
		return before.version, nil
	}
	const write = `
		insert into connector_provisioning (tenant_id, connector_id, write_mode, account, deprovision,
		    native_grant_policy, drift, breaker)
		values (current_tenant(), $1, $2, coalesce($3::jsonb, '{}'), coalesce($4::jsonb, '{}'), $5,
		    coalesce($6::jsonb, '{}'), coalesce($7::jsonb, '{}'))
		    on conflict (tenant_id, connector_id) do update
		   set write_mode = excluded.write_mode, account = excluded.account, deprovision = excluded.deprovision,
		       native_grant_policy = excluded.native_grant_policy, drift = excluded.drift, breaker = excluded.breaker,
		           updated_at = now(), version = connector_provisioning.version + 1`
	s := after.stored
	_, err := tx.Exec(
		ctx,
		write,
		after.ConnectorID,
		s.WriteMode,
		encoded(s.Account),
		encoded(s.Deprovision),
		s.NativeGrants,
		encoded(s.Drift),
		encoded(s.Breaker),
	)
	if err != nil {
		return 0, fmt.Errorf("write how a connector writes: %w", err)
	}
	if !reflect.DeepEqual(before.stored.Account, s.Account) || !reflect.DeepEqual(before.stored.Drift, s.Drift) {
		if _, err := Retouch(ctx, tx, after.ConnectorID, "template"); err != nil {
			return 0, err
		}
	}
	err = audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "connector.provisioning_changed", Subject: audited(after), Changes: changes},
	)
	if err != nil {
		return 0, err
	}
	const touch = `update connector set updated_at = now(), version = version + 1 where tenant_id = current_tenant()
		and id = $1 returning version`
	version := 0
	if err := tx.QueryRow(ctx, touch, after.ConnectorID).Scan(&version); err != nil {
		return 0, fmt.Errorf("count change of connector: %w", err)
	}
	return version, nil
}

// Retouch has all managed accounts of a connector compared with its template, and returns how many they are.
func Retouch(ctx context.Context, tx *pg.Tx, connectorID, why string) (int64, error) {
	const sql = `
		insert into work_item (tenant_id, kind, subject, cause)
		select a.tenant_id, 'drift', a.id, $2
		  from account a
		 where a.tenant_id = current_tenant()
		   and a.connector_id = $1
		   and a.managed = 'managed'
		   and a.identity_id is not null
		   and a.status in ('active', 'disabled', 'locked')`
	tag, err := tx.Exec(ctx, sql, connectorID, why)
	if err != nil {
		return 0, fmt.Errorf("have accounts compared: %w", err)
	}
	return tag.RowsAffected(), nil
}

// encoded is a part of the settings as it is kept; nil where it was left out.
func encoded(part any) []byte {
	if v := reflect.ValueOf(part); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	b, _ := json.Marshal(part) // structs of texts, numbers and bools always encode
	return b
}

// changesOf returns which parts are changed; null is a part that is not set.
func changesOf(before, after ProvisioningSettings) []audit.Change {
	var out []audit.Change
	for _, part := range []struct {
		name     string
		from, to any
	}{
		{"write_mode", before.WriteMode, after.WriteMode}, {"account", before.Account, after.Account},
		{"deprovision", before.Deprovision, after.Deprovision},
		{"native_grant_policy", before.NativeGrants, after.NativeGrants}, {"drift", before.Drift, after.Drift},
		{"breaker", before.Breaker, after.Breaker},
	} {
		from, to := encoded(part.from), encoded(part.to)
		if string(from) != string(to) {
			out = append(
				out,
				audit.Change{Field: part.name, From: json.RawMessage(orNull(from)), To: json.RawMessage(orNull(to))},
			)
		}
	}
	return out
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}
