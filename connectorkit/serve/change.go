package serve

import (
	"context"
	"net/http"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// provision makes one change. A caller that goes away does not end it half-way: it is made, and can be read.
func (h *Handler) provision(w http.ResponseWriter, r *http.Request, body []byte) {
	req, ok := read[v1.ProvisionRequest](w, body)
	if !ok {
		return
	}
	out, err := h.Connector.(connectorkit.Changer).Provision(context.WithoutCancel(r.Context()), req)
	if err != nil {
		d := h.detail(r.Context(), err)
		out = v1.ProvisionResponse{Error: &d.Message, ErrorDetail: d}
	}
	reply(w, http.StatusOK, out)
}

// read answers a ReadRequest. Its errors are answers with status 502.
func (h *Handler) read(w http.ResponseWriter, r *http.Request, body []byte) {
	req, ok := read[v1.ReadRequest](w, body)
	if !ok {
		return
	}
	out, err := h.Connector.(connectorkit.Changer).Read(r.Context(), req)
	if err != nil {
		// A ReadResponse has no members for errors: the answer is one by its status, with those of the others.
		d := h.detail(r.Context(), err)
		reply(w, http.StatusBadGateway, map[string]any{"success": false, "error": d.Message, "error_detail": d})
		return
	}
	if out.Accounts == nil {
		out.Accounts = []v1.ReadAccount{}
	}
	reply(w, http.StatusOK, out)
}
