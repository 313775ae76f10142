package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
)

// device is an authenticator with one passkey, written from the WebAuthn specification.
type device struct {
	t       *testing.T
	origin  string
	party   string
	id      []byte
	handle  []byte
	key     *ecdsa.PrivateKey
	counter uint32 // 0: it has none
	flags   byte   // beside that the user is present
}

// Flags of authenticator data (WebAuthn section 6.1).
const (
	present  = 0x01
	verified = 0x04
	attested = 0x40
)

var b64 = base64.RawURLEncoding

// newDevice makes an authenticator for pages at the house's address, whose host localhost stands for.
func (h *house) newDevice() *device {
	h.t.Helper()
	u, err := url.Parse(h.url)
	if err != nil {
		h.t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	return &device{
		t: h.t, origin: "http://localhost:" + u.Port(), party: "localhost", id: []byte(rand.Text()), key: key,
		flags: verified,
	}
}

// options are what a page reads from the service.
type options struct {
	PublicKey struct {
		Challenge string `json:"challenge"`
		RPID      string `json:"rpId"`
		RP        struct {
			ID string `json:"id"`
		} `json:"rp"`
		User struct {
			ID string `json:"id"`
		} `json:"user"`
		Attestation            string `json:"attestation"`
		UserVerification       string `json:"userVerification"`
		AuthenticatorSelection struct {
			ResidentKey      string `json:"residentKey"`
			UserVerification string `json:"userVerification"`
		} `json:"authenticatorSelection"`
		AllowCredentials   []struct{ ID string } `json:"allowCredentials"`
		ExcludeCredentials []struct{ ID string } `json:"excludeCredentials"`
	} `json:"public_key"`
}

func (d *device) clientData(kind, challenge string) []byte {
	b, err := json.Marshal(map[string]any{
		"type": kind, "challenge": challenge, "origin": d.origin, "crossOrigin": false,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

func (d *device) data(flags byte) []byte {
	party := sha256.Sum256([]byte(d.party))
	out := append(party[:], flags|d.flags|present)
	return binary.BigEndian.AppendUint32(out, d.counter)
}

// create answers the options of a registration, as navigator.credentials.create does.
func (d *device) create(o options) string {
	d.t.Helper()
	var err error
	if d.handle, err = b64.DecodeString(o.PublicKey.User.ID); err != nil {
		d.t.Fatal(err)
	}
	point, err := d.key.PublicKey.Bytes()
	if err != nil {
		d.t.Fatal(err)
	}
	cose := append([]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20}, point[1:33]...)
	cose = append(append(cose, 0x22, 0x58, 0x20), point[33:]...)
	data := append(d.data(attested), make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.id)))
	data = append(append(data, d.id...), cose...)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"), byte(len(data)>>8), byte(len(data)))
	object = append(object, data...)
	return d.answer(map[string]any{
		"clientDataJSON":    b64.EncodeToString(d.clientData("webauthn.create", o.PublicKey.Challenge)),
		"attestationObject": b64.EncodeToString(object), "transports": []string{"internal"},
	})
}

// get answers the options of an assertion, as navigator.credentials.get does.
func (d *device) get(o options) string {
	d.t.Helper()
	if d.counter > 0 {
		d.counter++
	}
	data, client := d.data(0), d.clientData("webauthn.get", o.PublicKey.Challenge)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, digest[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]any{
		"clientDataJSON": b64.EncodeToString(client), "authenticatorData": b64.EncodeToString(data),
		"signature": b64.EncodeToString(signature), "userHandle": b64.EncodeToString(d.handle),
	})
}

func (d *device) answer(response map[string]any) string {
	b, err := json.Marshal(map[string]any{
		"id": b64.EncodeToString(d.id), "rawId": b64.EncodeToString(d.id), "type": "public-key",
		"authenticatorAttachment": "platform", "clientExtensionResults": map[string]any{}, "response": response,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// ceremony reads the options of a request, which must succeed.
func (h *house) ceremony(path, bearer, body string) (o options) {
	h.t.Helper()
	a := h.call("POST", path, bearer, body)
	a.want(h.t, path, 200, "")
	a.into(h.t, &o)
	return o
}

// register sets up a passkey of the user of a session, who confirms with proof.
func (h *house) register(bearer, proof string) (d *device, id string) {
	h.t.Helper()
	d = h.newDevice()
	return d, h.registerOn(d, bearer, proof)
}

func (h *house) registerOn(d *device, bearer, proof string) (id string) {
	h.t.Helper()
	made := h.call(
		"POST",
		"/auth/passkeys",
		bearer,
		fmt.Sprintf(
			`{"name":"Laptop","credential":%s}`,
			d.create(h.ceremony("/auth/passkeys/registration", bearer, proof)),
		),
	)
	made.want(h.t, "register", 201, "")
	var p struct{ ID string }
	made.into(h.t, &p)
	return p.ID
}

// byPasskey signs in with a passkey alone.
func (h *house) byPasskey(d *device) answer {
	h.t.Helper()
	return h.assert(d.get(h.ceremony("/auth/passkey/start", "", "")))
}

func (h *house) assert(credential string) answer {
	h.t.Helper()
	return h.call("POST", "/auth/passkey/login", "", `{"credential":`+credential+`}`)
}

// confirms is the proof of a user who has signed in, by a passkey.
func (h *house) confirms(d *device, bearer string) string {
	h.t.Helper()
	return `{"passkey":` + d.get(h.ceremony("/auth/passkeys/assertion", bearer, "")) + `}`
}

// withPassword is the proof by the administrator's password.
var withPassword = fmt.Sprintf(`{"password":%q}`, canary)
