package ocsf

import (
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Event is an entry of the log in the schema's shape. Members that a class does not have are left out.
type Event struct {
	// OCSF activity within the class. 99 is an activity that the schema has no number for.
	ActivityID int `json:"activity_id"`
	// OCSF category: the thousands of class_uid.
	CategoryUID int `json:"category_uid"`
	// OCSF class of the action.
	ClassUID int `json:"class_uid"`
	// OCSF type: class_uid times 100 plus activity_id.
	TypeUID int `json:"type_uid"`
	// OCSF severity: 1 informational, 2 low, 3 medium, 4 high.
	SeverityID int `json:"severity_id"`
	// 1 for success, 2 for a failed or denied action.
	StatusID int `json:"status_id"`
	// Success or Failure, as status_id has it.
	Status string `json:"status"`
	// Time of the action in milliseconds since 1970-01-01 UTC.
	Time int64 `json:"time"` // milliseconds since 1970
	// One line of text with the actor, the action, its subject and its outcome.
	Message string `json:"message"`
	// Origin and identification of the event.
	Metadata Metadata `json:"metadata"`
	// Actor who performed the action.
	Actor Actor `json:"actor"`
	// Network address that the request came from. Absent if it is not known.
	Source *Endpoint `json:"src_endpoint,omitempty"`
	// HTTP request that caused the event. Absent if none is known.
	HTTPRequest *Request `json:"http_request,omitempty"`
	// Person or account that the action concerns. Present in the classes 3001, 3002 and 3005.
	User *User `json:"user,omitempty"`
	// Object that the action concerns. Present in the class 3004.
	Entity *Entity `json:"entity,omitempty"`
	// Service that was signed in to. Present in the class 3002.
	Service *Named `json:"service,omitempty"`
	// Operation that was called. Present in the class 6003.
	API *API `json:"api,omitempty"`
	// IDs of the entitlements and roles that the action concerns. Present in the class 3005.
	Privileges []string `json:"privileges,omitempty"`
	// Further objects of the action. In the class 6003 the first is the subject.
	Resources []Entity `json:"resources,omitempty"`
	// Reason that the actor gave.
	Comment string `json:"comment,omitempty"`
	// Members of the entry that the schema has no place for.
	Unmapped Unmapped `json:"unmapped"`
	// Values to correlate with other events: the IP address of the request.
	Observables []Observed `json:"observables,omitempty"`
}

// Metadata says who wrote the event, and names it.
type Metadata struct {
	// Release of OCSF that the event follows.
	Version string `json:"version"`
	// Product that wrote the event.
	Product Product `json:"product"`
	// Unique ID of the event: the tenant's ID, a slash and the number of the entry.
	UID string `json:"uid"`
	// Number of the entry in the audit log of the tenant.
	Sequence int64 `json:"sequence"`
	// Name of the action in the catalog of actions.
	EventCode string `json:"event_code"`
	// ID of the tenant.
	TenantUID string `json:"tenant_uid"`
	// ID of the request that caused the event, as X-Request-ID returned it.
	CorrelationUID string `json:"correlation_uid,omitempty"`
	// Time of the action in RFC 3339 with milliseconds, in UTC.
	OriginalTime string `json:"original_time"`
	// Name of the log. Always audit.
	LogName string `json:"log_name"`
}

// Product is what wrote the event.
type Product struct {
	// Name of the product.
	Name string `json:"name"`
	// Vendor of the product.
	VendorName string `json:"vendor_name"`
}

// Actor is who did it.
type Actor struct {
	// Person, service or system that performed the action.
	User User `json:"user"`
	// Service token that was used. Absent without one.
	Session *Named `json:"session,omitempty"`
}

// User is a person, a service or the product itself.
type User struct {
	// ID of the user.
	UID string `json:"uid,omitempty"`
	// Display name of the user.
	Name string `json:"name,omitempty"`
	// OCSF type of the user: 1 user, 2 administrator, 3 system, 4 service or agent.
	TypeID int `json:"type_id"` // 1 user, 2 admin, 3 system, 4 service
	// Roles of the actor at that time.
	Groups []Named `json:"groups,omitempty"`
}

// Named is anything with a name or an id.
type Named struct {
	// ID of the object.
	UID string `json:"uid,omitempty"`
	// Name of the object.
	Name string `json:"name,omitempty"`
}

// Entity is what something was done to.
type Entity struct {
	// ID of the object.
	UID string `json:"uid,omitempty"`
	// Display name of the object.
	Name string `json:"name,omitempty"`
	// Type of the object, such as connector or role. An action without a subject concerns the
	// tenant.
	Type string `json:"type,omitempty"`
}

// Endpoint is where a request came from.
type Endpoint struct {
	// IP address of the endpoint.
	IP string `json:"ip,omitempty"`
	// Name of the endpoint, if its address is not known.
	Name string `json:"name,omitempty"`
}

// Request is the HTTP request that it came in.
type Request struct {
	// ID of the request.
	UID string `json:"uid,omitempty"`
	// User-Agent header of the request.
	UserAgent string `json:"user_agent,omitempty"`
}

// API is the operation.
type API struct {
	// Name of the action.
	Operation string `json:"operation"`
	// Request that called the operation.
	Request *Named `json:"request,omitempty"`
}

// Observed is a value that systems look for across events.
type Observed struct {
	// Path of the member that has the value.
	Name string `json:"name"`
	// OCSF type of the observable. 2 is an IP address.
	TypeID int `json:"type_id"`
	// Observed value.
	Value string `json:"value"`
}

// Unmapped keeps what the schema has no place for. With the hashes the chain survives its way through other systems.
type Unmapped struct {
	// Category of the action in the audit log.
	Category audit.Category `json:"category"`
	// Hash of the previous entry.
	PrevHash string `json:"prev_hash"`
	// Hash of the entry. With it the chain can be verified outside of the product.
	Hash string `json:"hash"`
	// Fields that the action changed, with their values before and after.
	Changes []audit.Changed `json:"changes,omitempty"`
	// Further facts of the entry, as the audit log has them.
	Context map[string]any `json:"context,omitempty"`
	// Tenant that an operator acted in.
	Elsewhere *audit.Elsewhere `json:"on_behalf_of_tenant,omitempty"`
	// Person that the actor acted for.
	ActingFor *audit.Subject `json:"acting_for,omitempty"`
}

const ipAddress = 2 // the type of an observable

// From converts an entry of the log.
func From(e audit.Event) Event {
	class := ClassOf(e.Action, e.Outcome)
	out := Event{
		ActivityID:  class.ActivityID,
		ClassUID:    class.ClassUID,
		CategoryUID: class.ClassUID / 1000,
		TypeUID:     class.ClassUID*100 + class.ActivityID,
		SeverityID:  class.SeverityID,
		Time:        e.Time.UnixMilli(),
		Message:     message(e),
		Metadata:    metadata(e),
		Actor:       actor(e.Actor),
		Comment:     e.Reason,
		Unmapped: Unmapped{
			Category:  e.Category,
			PrevHash:  e.PrevHash,
			Hash:      e.Hash,
			Changes:   e.Changes,
			Context:   e.Context,
			Elsewhere: e.Elsewhere,
			ActingFor: e.ActingFor,
		},
	}
	out.StatusID, out.Status = 1, "Success"
	if e.Outcome != audit.Success {
		out.StatusID, out.Status = 2, "Failure"
	}
	if e.Actor.IP != "" {
		out.Source = &Endpoint{IP: e.Actor.IP}
		out.Observables = []Observed{{Name: "src_endpoint.ip", TypeID: ipAddress, Value: e.Actor.IP}}
	}
	if id := out.Metadata.CorrelationUID; id != "" || e.Actor.UserAgent != "" {
		out.HTTPRequest = &Request{UID: id, UserAgent: e.Actor.UserAgent}
	}
	out.about(e)
	return out
}

// about fills in what the class asks for.
func (o *Event) about(e audit.Event) {
	subject := entity(e)
	for _, each := range e.Objects {
		o.Resources = append(o.Resources, Entity{UID: each.ID, Name: each.Display, Type: each.Type})
	}
	switch o.ClassUID {
	case authentication:
		o.User, o.Service = &User{UID: subject.UID, Name: subject.Name, TypeID: 1}, &Named{Name: "grantwright"}
	case accountChange, userAccess:
		o.User = &User{UID: subject.UID, Name: subject.Name, TypeID: 1}
		if o.ClassUID == userAccess {
			o.Privileges = privileges(e)
		}
	case apiActivity:
		o.API = &API{Operation: e.Action}
		o.Resources = append([]Entity{subject}, o.Resources...)
		if o.Source == nil {
			o.Source = &Endpoint{Name: "grantwright"}
		}
	default:
		o.Entity = &subject
	}
}

// entity is the subject; what has none is about the tenant.
func entity(e audit.Event) Entity {
	if e.Subject == nil || e.Subject.Type == "" {
		return Entity{UID: e.TenantID, Type: "tenant"}
	}
	return Entity{UID: e.Subject.ID, Name: e.Subject.Display, Type: e.Subject.Type}
}

// privileges are the entitlements that a grant is about.
func privileges(e audit.Event) []string {
	out := []string{}
	for _, o := range e.Objects {
		if o.Type == "entitlement" || o.Type == "role" {
			out = append(out, o.ID)
		}
	}
	if len(out) == 0 {
		out = append(out, entity(e).UID)
	}
	return out
}

// metadata is who wrote the event. The request ID correlates events of one request.
func metadata(e audit.Event) Metadata {
	m := Metadata{
		Version:      Version,
		Product:      Product{Name: "Grantwright", VendorName: "Grantwright"},
		UID:          e.TenantID + "/" + strconv.FormatInt(e.Seq, 10),
		Sequence:     e.Seq,
		EventCode:    e.Action,
		TenantUID:    e.TenantID,
		OriginalTime: e.Time.UTC().Format("2006-01-02T15:04:05.000Z"),
		LogName:      "audit",
	}
	m.CorrelationUID, _ = e.Context["request_id"].(string)
	return m
}

// actor is who did it. Users with the role admin are administrators to OCSF.
func actor(a audit.Actor) Actor {
	out := Actor{
		User: User{UID: a.ID, Name: a.Display, TypeID: map[string]int{"user": 1, "service": 4, "agent": 4}[a.Type]},
	}
	if out.User.TypeID == 0 {
		out.User.TypeID = 3
	}
	for _, r := range a.Roles {
		out.User.Groups = append(out.User.Groups, Named{Name: r})
		if r == "admin" && a.Type == "user" {
			out.User.TypeID = 2
		}
	}
	if out.User.UID == "" && out.User.Name == "" {
		out.User.Name = a.Type
	}
	if a.TokenID != "" {
		out.Session = &Named{UID: a.TokenID}
	}
	return out
}

// message is the event in one line.
func message(e audit.Event) string {
	who, what := e.Actor.Display, ""
	if who == "" {
		who = e.Actor.Type
	}
	if e.Subject != nil {
		if what = e.Subject.Display; what == "" {
			what = e.Subject.ID
		}
		what = " " + e.Subject.Type + " " + what
	}
	return who + ": " + e.Action + what + " (" + string(e.Outcome) + ")"
}
