package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/grantwright/grantwright/e2e/api"
)

const (
	identities = 100_000
	pageSize   = 50
	clients    = 8
	lap        = 2 * time.Second
	laps       = 3
)

// Half of the people are in departments of a thousand, half in departments of a hundred: the larger the department, the
// more of the time goes into counting it.
var sizes = []int{1000, 100}

// list measures a filtered page of identities over HTTP against the same statements without anything around them.
func list(ctx context.Context, b *bench) error {
	c, err := b.tenant(ctx, "bench")
	if err != nil {
		return err
	}
	tenant, err := tenantOf(ctx, c)
	if err != nil {
		return err
	}
	if c, err = unhurried(ctx, c); err != nil {
		return err
	}
	if err := fill(ctx, b, tenant); err != nil {
		return fmt.Errorf("fill the database: %w", err)
	}
	pool, err := open(ctx, b, "app", "grantwright_app")
	if err != nil {
		return err
	}
	defer pool.Close()
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer web.CloseIdleConnections()
	for _, size := range sizes {
		if err := filtered(ctx, web, c, pool, tenant, size); err != nil {
			return err
		}
	}
	return deep(ctx, web, c)
}

// unhurried is a client whose token may make as many requests as it can.
func unhurried(ctx context.Context, c *api.Client) (*api.Client, error) {
	var made struct {
		Token string `json:"token"`
	}
	payload := map[string]any{
		"name":       "bench",
		"role":       "admin",
		"scopes":     []string{"identities:read"},
		"rate_limit": map[string]int{"rps": 10_000, "burst": 10_000},
	}
	if err := c.Post(ctx, "/settings/api-tokens", payload, &made); err != nil {
		return nil, err
	}
	raised := api.New(c.Base)
	raised.SetToken(made.Token)
	return raised, nil
}

// filtered measures pages of departments of one size.
func filtered(ctx context.Context, web *http.Client, c *api.Client, pool *pgxpool.Pool, tenant string, size int) error {
	department := func(n int) string { return fmt.Sprintf("Department %d-%d", size, n%(identities/len(sizes)/size)) }
	overHTTP := func(ctx context.Context, n int) error { return ask(ctx, web, c, department(n), "") }
	bare := func(ctx context.Context, n int) error { return query(ctx, pool, tenant, department(n), size) }
	var served, direct float64
	for range laps { // in turns, so that what else the machine does falls on both
		for _, m := range []struct {
			one func(context.Context, int) error
			sum *float64
		}{{overHTTP, &served}, {bare, &direct}} {
			rate, err := rate(ctx, m.one)
			if err != nil {
				return err
			}
			*m.sum += rate / laps
		}
	}
	note(fmt.Sprintf("GET /identities?department=, %d of %d of %d people", pageSize, size, identities), served, "/s")
	note("  the same statements through pgx alone", direct, "/s")
	atLeast("  share of it that is left over HTTP", 60, 100*served/direct, "%")
	return nil
}

func tenantOf(ctx context.Context, c *api.Client) (string, error) {
	var me struct {
		Tenant struct {
			ID string `json:"id"`
		} `json:"tenant"`
	}
	err := c.Get(ctx, "/auth/me", &me)
	return me.Tenant.ID, err
}

// open connects to the deployment's private PostgreSQL with the passwords it keeps beside its data.
func open(ctx context.Context, b *bench, secret, user string) (*pgxpool.Pool, error) {
	var secrets map[string]string
	var where struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	}
	for name, into := range map[string]any{"secrets.json": &secrets, "runtime.json": &where} {
		raw, err := os.ReadFile(filepath.Join(b.plane.Data, "postgres.control", name))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(user, secrets[secret]), Path: "/grantwright"}
	if filepath.IsAbs(where.Host) {
		u.RawQuery = url.Values{"host": {where.Host}, "port": {fmt.Sprint(where.Port)}}.Encode()
	} else {
		u.Host = net.JoinHostPort(where.Host, fmt.Sprint(where.Port))
	}
	config, err := pgxpool.ParseConfig(u.String())
	if err != nil {
		return nil, err
	}
	config.MaxConns = 20 // as many as the service has
	return pgxpool.NewWithConfig(ctx, config)
}

// fill enters the people and lets the planner know of them.
func fill(ctx context.Context, b *bench, tenant string) error {
	pool, err := open(ctx, b, "superuser", "grantwright")
	if err != nil {
		return err
	}
	defer pool.Close()
	const people = `
		insert into identity (tenant_id, id, external_id, email, username, first_name, last_name, display_name,
		  employee_number, department,
		                      title, location, country, hire_date, attributes, created_at)
		select $1, gen_random_uuid(), n::text, 'p' || n || '@bench.example', 'p' || n, 'Person', 'Number ' || n,
		  'Person Number ' || n, n::text,
		       case when n % 2 = 0 then 'Department 1000-' || n / 2 % 50 else 'Department 100-' || n / 2 % 500 end,
		         'Engineer', 'Hamburg', 'DE', date '2020-01-01' + n % 2000, '{"employeeType": "Employee", "floor": 3}',
		       now() - n * interval '1 second'
		  from generate_series(1, $2::int) n`
	if _, err := pool.Exec(ctx, people, tenant, identities); err != nil {
		return err
	}
	_, err = pool.Exec(ctx, "vacuum analyze identity")
	return err
}

// ask reads a page over HTTP, to its last byte.
func ask(ctx context.Context, web *http.Client, c *api.Client, department, cursor string) error {
	q := url.Values{"limit": {fmt.Sprint(pageSize)}}
	if department != "" {
		q.Set("department", department)
	}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base+api.Prefix+"/identities?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.Token())
	answer, err := web.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || n < 1000 {
		return fmt.Errorf("the list answered %s with %d bytes, %w", answer.Status, n, err)
	}
	return nil
}

// The statements that the service runs for the page: a transaction with the tenant and the visibility, then page and
// total in one round trip.
const (
	columns = `i.id, i.external_id, i.source_connector_id, i.kind,
		i.employment_type, i.email, i.secondary_emails, i.username, i.first_name, i.middle_name, i.last_name,
		i.preferred_name, i.display_name, i.employee_number, i.department, i.division, i.organization, i.cost_center,
		i.title, i.job_code, i.job_family, i.location, i.country, i.locale, i.timezone, i.manager_external_id,
		i.sponsor_id, i.backup_owner_id, i.hire_date::text as hire_date, i.start_date::text as start_date,
		i.termination_date::text as termination_date, i.last_working_at, i.leave_from::text as leave_from,
		i.leave_to::text as leave_to, i.attributes, i.labels, i.manager_id,
		(i.manager_id is null and i.manager_external_id is not null) as manager_unresolved, i.manager_from_source,
		i.status, i.status_reason, i.status_source, i.status_changed_at,
		(i.status in ('deactivated', 'archived')) as is_disabled, i.last_synced_at, i.created_at, i.updated_at,
		    i.version`
	conditions = ` from identity i where i.status <> 'archived' and i.department = $1 and (select sees_all())`
	pageSQL    = `select ` + columns + conditions + ` order by i.created_at, i.id limit $2`
	totalSQL   = `select count(*)` + conditions
)

// query runs the statements and takes every value of the page.
func query(ctx context.Context, pool *pgxpool.Pool, tenant, department string, size int) error {
	tx, err := pool.BeginTx(
		ctx,
		pgx.TxOptions{BeginQuery: "begin; set local app.tenant_id = '" + tenant + "'; set local app.sees = 'all'"},
	)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // after a commit it does nothing
	var total int64
	seen := 0
	var batch pgx.Batch
	batch.Queue(pageSQL, department, pageSize+1).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if _, err := rows.Values(); err != nil {
				return err
			}
			seen++
		}
		return rows.Err()
	})
	batch.Queue(totalSQL, department).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
	if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
		return err
	}
	if seen != pageSize+1 || total != int64(size) {
		return fmt.Errorf("the statements gave %d rows of %d", seen, total)
	}
	return tx.Commit(ctx)
}

// rate is how many a second some clients get done for a while.
func rate(ctx context.Context, one func(context.Context, int) error) (float64, error) {
	var done atomic.Int64
	var failed atomic.Pointer[error]
	var all sync.WaitGroup
	began := time.Now()
	for range clients {
		all.Go(func() {
			for time.Since(began) < lap && failed.Load() == nil {
				if err := one(ctx, int(done.Add(1))); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	all.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(done.Load()) / time.Since(began).Seconds(), nil
}

// deep compares a page far into the list with the first, both by cursor and of the whole list.
func deep(ctx context.Context, web *http.Client, c *api.Client) error {
	var page api.Page[json.RawMessage]
	cursor, second := "", ""
	for range identities / 500 * 9 / 10 {
		path := "/identities?limit=500"
		if cursor != "" {
			path += "&cursor=" + url.QueryEscape(cursor)
		}
		page = api.Page[json.RawMessage]{}
		if err := c.Get(ctx, path, &page); err != nil {
			return err
		}
		if page.NextCursor == nil {
			return fmt.Errorf("the list ended early, after %d of %d", page.Offset, page.Total)
		}
		if cursor = *page.NextCursor; second == "" {
			second = cursor
		}
	}
	var near, far []time.Duration
	for range 100 {
		for _, m := range []struct {
			cursor string
			into   *[]time.Duration
		}{{second, &near}, {cursor, &far}} {
			began := time.Now()
			if err := ask(ctx, web, c, "", m.cursor); err != nil {
				return err
			}
			*m.into = append(*m.into, time.Since(began))
		}
	}
	note("GET /identities by cursor, 500 people in, p50", percentile(near, 0.5), "ms")
	note("  90,000 people in, p50", percentile(far, 0.5), "ms")
	atMost("  deep page against near page", 1.25, percentile(far, 0.5)/percentile(near, 0.5), "x")
	return nil
}
