import hmac, json, os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

TOKEN = os.environ["CONNECTOR_TOKEN"]
STAFF = [("100", "Zoë Okafor", "zoe@example.org"), ("101", "Iryna Koval", "iryna@example.org")]

def sync(request):
    region = request["auth_config"].get("region")  # what was typed in as settings and secret_settings
    if region != "eu":
        return {"success": False, "identities": [], "accounts": [], "entitlements": [], "grants": [],
                "error": f"there is no region {region}"}
    return {"success": True, "error": None,
            "identities": [{"external_id": i, "display_name": n, "email": m} for i, n, m in STAFF],
            "accounts": [{"external_id": "a" + i, "identity_external_id": i, "username": m} for i, n, m in STAFF],
            "entitlements": [{"external_id": "staff", "name": "Staff"}],
            "grants": [{"account_external_id": "a" + i, "entitlement_external_id": "staff"} for i, n, m in STAFF]}

class Connector(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        known = hmac.compare_digest(self.headers.get("Authorization", "").encode(), f"Bearer {TOKEN}".encode())
        answer = json.dumps(sync(json.loads(body))).encode() if known else b""
        self.send_response(200 if known else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

HTTPServer(("127.0.0.1", int(sys.argv[1])), Connector).serve_forever()
