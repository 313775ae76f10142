// Package document reads and writes rule sets as one YAML document. It has all fields of duties and policies, under the
// names of the API. People are named by external ID, connectors by business ID, roles by key, and duties by name.
//
// Example:
//
//	version: 1
//	duties:
//	  - name: Pay
//	    all_of:
//	      - members:
//	          - {kind: external, connector: bank, external_id: PAY-RUN}
//	policies:
//	  - name: Vendors and payments
//	    kind: pair
//	    sides:
//	      - duties: [Maintain vendors]
//	      - duties: [Pay]
package document
