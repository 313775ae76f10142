package canary_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"testing"

	"github.com/grantwright/grantwright/e2e/canary"
)

func TestASecretIsFoundInEverySpelling(t *testing.T) {
	const secret = `p/w "with" + umlaut ü`
	var j canary.Jar
	j.Sent("", []byte(`{"credentials":{"bind_password":"p/w \"with\" + umlaut ü"},"name":"not a secret at all"}`))
	for form, text := range map[string]string{
		"raw": secret, "base64": base64.StdEncoding.EncodeToString([]byte(secret)),
		"hex":                  hex.EncodeToString([]byte(secret)),
		"base64 behind a name": base64.StdEncoding.EncodeToString([]byte("name:" + secret)),
		"base64 amid more":     base64.URLEncoding.EncodeToString([]byte("some" + secret + "thing")),
		"url":                  url.QueryEscape(secret), "json": `p/w \"with\" + umlaut ü`,
	} {
		if len(j.Find([]byte("before "+text+" after"))) != 1 {
			t.Errorf("%s is not found", form)
		}
	}
	if found := j.Find([]byte("not a secret at all")); len(found) != 0 {
		t.Errorf("found %v", found)
	}
}

func TestASecretMayBeShownOnce(t *testing.T) {
	var j canary.Jar
	answer := []byte(`{"enrollment_token":"aaaa.bbbb.cccc","token_type":"Bearer as always"}`)
	j.Answered("the first", answer)
	if leaks := j.Leaks(); len(leaks) != 0 {
		t.Errorf("the first time is a leak: %v", leaks)
	}
	j.Answered("the second", answer)
	if leaks := j.Leaks(); len(leaks) != 1 {
		t.Errorf("the second time: %v; want one leak", leaks)
	}
}
