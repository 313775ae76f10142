package app_test

// sent are the bodies that operations on one resource take as they are, so that it is the id in the path that is
// refused.
const sent = `
POST   /accounts/provisioning-tasks/{id}/complete  {"note":"x"}
POST   /accounts/{id}/delete                       {"note":"x"}
POST   /accounts/{id}/disable                      {"note":"x"}
POST   /accounts/{id}/enable                       {"note":"x"}
POST   /accounts/{id}/rename                       {"username":"renamed"}
POST   /accounts/{id}/reset-password               {"force_change":true}
POST   /accounts/{id}/unlock                       {"note":"x"}
PATCH  /accounts/{id}                              {"purpose":"x"}
POST   /accounts/{id}/ignore                       {"reason":"x"}
POST   /accounts/{id}/link                         {"identity_id":"<own identity>","reason":"x"}
POST   /accounts/{id}/drift/resolve                {"fields":["mail"],"direction":"accept"}
POST   /accounts/{id}/unlink                       {"reason":"x"}
POST   /access-requests/{id}/cancel                {"reason":"x"}
POST   /access-requests/{id}/comments              {"text":"x"}
POST   /access-requests/{id}/decisions             {"decisions":[{"item_id":"<own item>","action":"approve"}]}
POST   /access-requests/{id}/extend                {"duration":"P1D"}
POST   /access-requests/{id}/items/{item_id}/reassign {"to":"<own identity>","reason":"x"}
POST   /access-requests/{id}/items/{item_id}/withdraw {"reason":"x"}
POST   /access-requests/{id}/return                {"reason":"x"}
POST   /access-requests/{id}/withdraw-approval     {"reason":"x"}
PATCH  /approval-rules/{id}                        {"description":"x"}
PATCH  /approval-rules/calendars/{id}              {"description":"x"}
PATCH  /approval-rules/on-call/{id}                {"description":"x"}
PATCH  /connectors/{id}                            {"description":"x"}
PUT    /connectors/{id}/correlation                {"propose":0.8,"auto_link":0.95}
POST   /connectors/{id}/discover                   {"sample_size":1}
PUT    /connectors/{id}/mappings                   {"mappings":[{"object":"identity","source_path":"mail","target_field":"email"}]}
POST   /connectors/{id}/mappings/preview           {"sample":1}
PATCH  /connectors/{id}/mappings/{mapping_id}      {"action":"ignore"}
POST   /connectors/{id}/rediscover                 {"sample_size":1}
POST   /connectors/{id}/schema-diffs/{diff_id}/decide {"accept_all":true}
POST   /connectors/{id}/wizard/first-sync          {"chunk_size":100}
PUT    /connectors/{id}/safety                     <safety>
POST   /connectors/{id}/disable                    {"reason":"x"}
POST   /connectors/{id}/pause                      {"reason":"x"}
PUT    /connectors/{id}/schedule                   {"incremental_cron":"*/15 * * * *"}
PUT    /connectors/{id}/provisioning               {"write_mode":"manual"}
POST   /connectors/{id}/provisioning/preview       {"identity_id":"<own identity>"}
POST   /connectors/{id}/sync                       {"incremental":false}
POST   /connectors/{id}/sync-runs/{run_id}/discard {"comment":"x"}
POST   /connectors/{id}/sync-runs/{run_id}/release {"comment":"x","expected_count":1,"digest":"0000000000000000000000000000000000000000000000000000000000000000"}
PATCH  /decision-tasks/delegations/{id}            {"reason":"x"}
PATCH  /auth/passkeys/{id}                         {"name":"x"}
DELETE /auth/passkeys/{id}                         {"otp":"123456"}
POST   /decision-tasks/{id}/comments               {"text":"x"}
POST   /decision-tasks/{id}/decide                 {"action":"approve"}
POST   /decision-tasks/{id}/escalate               {"reason":"x"}
POST   /decision-tasks/{id}/reassign               {"to":["<own identity>"],"reason":"x"}
POST   /entitlements/grants/{id}/extend            {"ends_at":"2200-01-01T00:00:00Z"}
POST   /entitlements/grants/{id}/revoke            {"reason":"x"}
PATCH  /entitlements/roles/{id}                    {"description":"x"}
PATCH  /entitlements/roles/{id}/draft              {"description":"x"}
POST   /entitlements/roles/{id}/members            {"identity_id":"<own identity>","reason":"x"}
PATCH  /entitlements/roles/{id}/members/{identity_id} {"ends_at":"2200-01-01T00:00:00Z"}
POST   /entitlements/{id}/owners                    {"owner_ids":[]}
POST   /entitlements/{id}/retire                    {}
PATCH  /entitlements/{id}                          {"business_description":"x"}
PATCH  /identities/{id}                            {"title":"x"}
POST   /identities/{id}/birthrights/evaluate       {"dry_run":true}
POST   /identities/{id}/deactivate                 {"reason":"x"}
POST   /identities/{id}/leave                      {"reason":"x"}
POST   /identities/{id}/return                     {"reason":"x"}
POST   /identities/{id}/merge                      {"source_id":"<own identity>","reason":"x"}
POST   /identities/{id}/unpin                      {"fields":["title"]}
POST   /identities/{id}/reactivate                 {"reason":"x"}
PATCH  /policies/access-grant/{id}                 {"description":"x"}
POST   /policies/access-grant/{id}/breaker/reset   {"accept":true}
POST   /policies/access-grant/{id}/mode            {"mode":"shadow"}
PATCH  /policies/duties/{id}                       {"description":"x"}
PATCH  /policies/separation-of-duties/{id}         {"description":"x"}
POST   /policies/separation-of-duties/{id}/simulate {"severity":"high"}
POST   /policies/separation-of-duties/{id}/simulations {"severity":"high"}
POST   /policies/duties/{id}/simulate              {"description":"x"}
POST   /policies/duties/{id}/simulations              {"description":"x"}
POST   /policies/separation-of-duties/{id}/mode    {"mode":"shadow"}
PATCH  /policies/mitigation/{id}                   {"description":"x"}
POST   /policies/mitigations/{id}/evidence         {"text":"x"}
POST   /policies/mitigations/{id}/evidence/{evidence_id}/accept {"comment":"x"}
POST   /policies/mitigations/{id}/evidence/{evidence_id}/reject {"comment":"x"}
POST   /policies/mitigations/{id}/withdraw         {"reason":"x"}
POST   /policies/requirement-gaps/{id}/exempt      {"reason":"x","until":"2999-01-01T00:00:00Z"}
POST   /policies/violations/{id}/assign            {"identity_id":"<own identity>"}
POST   /policies/violations/{id}/false-positive    {"reason":"x"}
POST   /policies/violations/{id}/remediate         {"remove":["<own grant>"],"reason":"x"}
POST   /sector-packs/conflicts/{id}/resolve {"use":"mine"}
PATCH  /settings/agents/{id}                       {"description":"x"}
POST   /settings/agents/{id}/enroll                {"release_credentials":true}
POST   /settings/agents/{id}/revoke                {"reason":"x"}
PATCH  /settings/api-tokens/{id}                   {"description":"x"}
POST   /settings/api-tokens/{id}/rotate            {"overlap":"PT1H"}
PATCH  /settings/audit-streams/{id}                {"name":"x"}
PATCH  /settings/identity-providers/{id}           {"client_id":"x"}
PATCH  /settings/sign-in-rules/{id}                {"name":"x"}
PATCH  /settings/users/{id}                        {"display_name":"x"}
PATCH  /settings/webhooks/{id}                     {"name":"x"}
POST   /settings/webhooks/{id}/replay              {"from":"<yesterday>"}
POST   /settings/webhooks/{id}/rotate-secret       {"overlap":"PT1H"}
`

// named are bodies that name something of another tenant, sent to one's own resources, with the answer. What is refused
// says no more than it would of an id of nothing. 200 and 202 stand where each item has its own outcome, or nothing is
// found.
const named = `
POST  /accounts                             404 {"connector_id":"<connector>","identity_id":"<own identity>"}
POST  /accounts                             404 {"connector_id":"<own connector>","identity_id":"<identity>"}
POST  /accounts/provisioning-tasks/retry-failed 404 {"connector_id":"<connector>"}
POST  /accounts/bulk-disable                200 {"ids":["<account>"],"note":"x"}
POST  /accounts/bulk-link                   200 {"pairs":[{"account_id":"<account>","identity_id":"<own identity>"},{"account_id":"<own account>","identity_id":"<identity>"},{"account_id":"<own account>","email":"someone@acme.test"}],"dry_run":true,"reason":"x"}
POST  /accounts/bulk-link                   200 {"filter":{"connector_id":"<connector>"},"identity_field":"email","reason":"x"}
POST  /accounts/bulk-link                   404 {"connector_id":"<connector>","pairs":[{"external_id":"a1","identity_id":"<own identity>"}],"reason":"x"}
POST  /accounts/correlation/preview         404 {"connector_id":"<connector>"}
POST  /accounts/correlation/run             404 {"connector_id":"<connector>"}
POST  /accounts/{id}/link                   422 {"identity_id":"<identity>","reason":"x"}
POST  /connectors                           422 {"name":"x","type":"scim2","mode":"agent","agent_id":"<agent>","connection":{"base_url":"https://127.0.0.1:9"},"credentials":{"bearer_token":"t"}}
POST  /connectors/test                      422 {"type":"scim2","mode":"agent","agent_id":"<agent>","connection":{"base_url":"https://127.0.0.1:9"},"credentials":{"bearer_token":"t"}}
PATCH /connectors/{id}                      422 {"mode":"agent","agent_id":"<agent>"}
POST  /connectors/{id}/provisioning/preview 404 {"identity_id":"<identity>"}
POST  /decision-tasks/bulk-decide           200 {"ids":["<task>"],"action":"approve"}
POST  /decision-tasks/delegations           422 {"delegator_id":"<own identity>","delegate_id":"<identity>"}
POST  /decision-tasks/delegations           422 {"delegator_id":"<identity>","delegate_id":"<own identity>"}
PATCH /decision-tasks/delegations/{id}      422 {"delegate_id":"<identity>"}
POST  /decision-tasks/delegations           422 {"delegator_id":"<own identity>","delegate_id":"<own identity>","system_ids":["<connector>"]}
PATCH /decision-tasks/delegations/{id}      422 {"system_ids":["<connector>"]}
POST  /decision-tasks/{id}/reassign         422 {"to":["<identity>"],"reason":"x"}
POST  /entitlements/grants                  422 {"identity_id":"<identity>","entitlement_id":"<own entitlement>","justification":"x"}
POST  /entitlements/grants                  422 {"account_id":"<account>","entitlement_id":"<own entitlement>","justification":"x"}
POST  /entitlements/grants                  422 {"identity_id":"<own identity>","entitlement_id":"<entitlement>","justification":"x"}
POST  /entitlements/grants/accept-as-found  422 {"ids":["<grant>"],"comment":"x"}
POST  /entitlements/grants/accept-as-found  422 {"connector_id":"<connector>","comment":"x"}
POST  /entitlements/grants/accept-as-found  422 {"connector_id":"<own connector>","entitlement_id":"<entitlement>","comment":"x"}
POST  /entitlements/grants/bulk-revoke      200 {"ids":["<grant>"],"reason":"x"}
POST  /entitlements/grants/{id}/revoke      422 {"reason":"x","scope":"reason","reason_id":"<grant>"}
POST  /access-requests                      404 {"requested_for_identity_id":"<identity>","requested_resources":[{"entitlement_id":"<own entitlement>"}],"justification":"x"}
POST  /access-requests                      422 {"requested_for_identity_id":"<own identity>","requested_resources":[{"entitlement_id":"<entitlement>"},{"role_id":"<role>"},{"entitlement_id":"<own entitlement>","account_id":"<account>"}],"approvers":["<identity>"],"justification":"x"}
POST  /access-requests/preview              404 {"requested_for_identity_id":"<identity>","requested_resources":[{"entitlement_id":"<own entitlement>"}],"justification":"x"}
POST  /access-requests/preview              200 {"requested_for_identity_id":"<own identity>","requested_resources":[{"entitlement_id":"<entitlement>"},{"role_id":"<role>"},{"entitlement_id":"<own entitlement>","account_id":"<account>"}],"approvers":["<identity>"],"justification":"x"}
POST  /access-requests/bulk                 200 {"requests":[{"requested_for_identity_id":"<identity>","requested_resources":[{"entitlement_id":"<own entitlement>"}]},{"requested_for_identity_id":"<own identity>","requested_resources":[{"entitlement_id":"<entitlement>"},{"role_id":"<role>"},{"entitlement_id":"<own entitlement>","account_id":"<account>"}],"approvers":["<identity>"]}]}
POST  /access-requests                      422 {"requested_for_identity_id":"<own identity>","requested_resources":[{"entitlement_id":"<own entitlement>"}],"justification":"x","mitigations":[{"policy_id":"<policy>","mitigation_policy_id":"<control>","owner_id":"<identity>"}]}
POST  /access-requests/preview              200 {"requested_for_identity_id":"<own identity>","requested_resources":[{"entitlement_id":"<own entitlement>"}],"justification":"x","mitigations":[{"policy_id":"<policy>","mitigation_policy_id":"<control>","owner_id":"<identity>"}]}
POST  /access-requests/bulk                 200 {"requests":[{"requested_for_identity_id":"<own identity>","requested_resources":[{"entitlement_id":"<own entitlement>"}],"justification":"x","mitigations":[{"policy_id":"<policy>","mitigation_policy_id":"<control>","owner_id":"<identity>"}]}]}
POST  /access-requests/{id}/decisions       404 {"decisions":[{"item_id":"<item>","action":"approve"}]}
POST  /access-requests/{id}/extend          422 {"items":["<item>"],"duration":"P1D"}
POST  /access-requests/{id}/return          422 {"items":["<item>"]}
POST  /access-requests/{id}/withdraw-approval 422 {"items":["<item>"]}
POST  /access-requests/{id}/items/{item_id}/reassign 422 {"to":"<identity>","reason":"x"}
POST  /access-requests/{id}/items/{item_id}/reassign 422 {"to":"<own identity>","task_id":"<approval>","reason":"x"}
POST  /approval-rules/replay                404 {"rule_id":"<rule>","from":"<yesterday>"}
POST  /approval-rules/replay                422 {"rule":{"applies_to":{"role_ids":["<role>"],"entitlement_ids":["<entitlement>"],"connector_ids":["<connector>"]},"branches":[{"when":{"field":"department","op":"eq","value":"x"},"outcome":{"kind":"use_rule","rule_id":"<rule>"}},{"outcome":{"kind":"chain","stages":[{"name":"A","calendar_id":"<calendar>","groups":[{"approvers":[{"kind":"identity","identity_id":"<identity>"},{"kind":"group","role_id":"<role>"},{"kind":"on_call","schedule_id":"<schedule>"}]}],"reassign_allow_list":["<identity>"]}]}}],"emergency":{"allowed":true,"rule_id":"<rule>","max_duration":"PT8H","post_review_within":"P1D"}},"from":"<yesterday>"}
POST  /approval-rules                       422 {"applies_to":{"role_ids":["<role>"],"entitlement_ids":["<entitlement>"],"connector_ids":["<connector>"]},"branches":[{"when":{"field":"department","op":"eq","value":"x"},"outcome":{"kind":"use_rule","rule_id":"<rule>"}},{"outcome":{"kind":"chain","stages":[{"name":"A","calendar_id":"<calendar>","groups":[{"approvers":[{"kind":"identity","identity_id":"<identity>"},{"kind":"group","role_id":"<role>"},{"kind":"on_call","schedule_id":"<schedule>"}]}],"reassign_allow_list":["<identity>"]}]}}],"emergency":{"allowed":true,"rule_id":"<rule>","max_duration":"PT8H","post_review_within":"P1D"},"name":"x"}
PATCH /approval-rules/{id}                  422 {"applies_to":{"role_ids":["<role>"],"entitlement_ids":["<entitlement>"],"connector_ids":["<connector>"]},"branches":[{"when":{"field":"department","op":"eq","value":"x"},"outcome":{"kind":"use_rule","rule_id":"<rule>"}},{"outcome":{"kind":"chain","stages":[{"name":"A","calendar_id":"<calendar>","groups":[{"approvers":[{"kind":"identity","identity_id":"<identity>"},{"kind":"group","role_id":"<role>"},{"kind":"on_call","schedule_id":"<schedule>"}]}],"reassign_allow_list":["<identity>"]}]}}],"emergency":{"allowed":true,"rule_id":"<rule>","max_duration":"PT8H","post_review_within":"P1D"}}
POST  /approval-rules/simulate              422 {"request":{"requested_for_identity_id":"<own identity>","requested_resources":[{"entitlement_id":"<own entitlement>"}]},"rule":{"applies_to":{"role_ids":["<role>"],"entitlement_ids":["<entitlement>"],"connector_ids":["<connector>"]},"branches":[{"when":{"field":"department","op":"eq","value":"x"},"outcome":{"kind":"use_rule","rule_id":"<rule>"}},{"outcome":{"kind":"chain","stages":[{"name":"A","calendar_id":"<calendar>","groups":[{"approvers":[{"kind":"identity","identity_id":"<identity>"},{"kind":"group","role_id":"<role>"},{"kind":"on_call","schedule_id":"<schedule>"}]}],"reassign_allow_list":["<identity>"]}]}}],"emergency":{"allowed":true,"rule_id":"<rule>","max_duration":"PT8H","post_review_within":"P1D"}}}
POST  /approval-rules/simulate              404 {"request":{"requested_for_identity_id":"<own identity>","requested_resources":[{"entitlement_id":"<own entitlement>"}]},"rule_id":"<rule>"}
POST  /approval-rules/simulate              422 {"request":{"requested_for_identity_id":"<identity>","requested_resources":[{"entitlement_id":"<own entitlement>"}],"requested_by_identity_id":"<identity>","approver_ids":["<identity>"]}}
POST  /approval-rules/simulate              422 {"request":{"requested_for_identity_id":"<own identity>","requested_resources":[{"entitlement_id":"<entitlement>"},{"role_id":"<role>"}]}}
POST  /approval-rules/on-call               422 {"name":"x","identity_ids":["<identity>"],"calendar_id":"<calendar>"}
PATCH /approval-rules/on-call/{id}          422 {"identity_ids":["<identity>"],"calendar_id":"<calendar>"}
POST  /entitlements/roles                   422 {"name":"x","entitlement_ids":["<entitlement>"]}
POST  /entitlements/roles                   422 {"name":"x","owner_ids":["<identity>"]}
PATCH /entitlements/roles/{id}              422 {"entitlement_ids":["<entitlement>"]}
PATCH /entitlements/roles/{id}              422 {"owner_ids":["<identity>"]}
POST  /entitlements/roles                   422 {"name":"x","backup_owner_ids":["<identity>"],"child_role_ids":["<role>"],"membership_exclusions":[{"identity_id":"<identity>","reason":"x"}],"approval_rule_id":"<rule>"}
POST  /entitlements/roles                   422 {"name":"x","child_role_ids":["<role>"]}
POST  /entitlements/roles                   422 {"name":"x","membership_exclusions":[{"identity_id":"<identity>","reason":"x"}]}
POST  /entitlements/roles                   422 {"name":"x","approval_rule_id":"<rule>"}
PATCH /entitlements/roles/{id}              422 {"backup_owner_ids":["<identity>"]}
PATCH /entitlements/roles/{id}              422 {"child_role_ids":["<role>"]}
PATCH /entitlements/roles/{id}              422 {"membership_exclusions":[{"identity_id":"<identity>","reason":"x"}]}
PATCH /entitlements/roles/{id}              422 {"approval_rule_id":"<rule>"}
PATCH /entitlements/roles/{id}/draft        422 {"entitlement_ids":["<entitlement>"]}
PATCH /entitlements/roles/{id}/draft        422 {"owner_ids":["<identity>"]}
PATCH /entitlements/roles/{id}/draft        422 {"backup_owner_ids":["<identity>"]}
PATCH /entitlements/roles/{id}/draft        422 {"child_role_ids":["<role>"]}
PATCH /entitlements/roles/{id}/draft        422 {"membership_exclusions":[{"identity_id":"<identity>","reason":"x"}]}
PATCH /entitlements/roles/{id}/draft        422 {"approval_rule_id":"<rule>"}
POST  /entitlements/roles/{id}/members      422 {"identity_id":"<identity>","reason":"x"}
PATCH /entitlements/{id}                    422 {"owner_ids":["<identity>"]}
POST  /entitlements/{id}/owners             422 {"owner_ids":["<identity>"]}
POST  /entitlements/{id}/owners             422 {"backup_owner_ids":["<identity>"]}
POST  /entitlements/{id}/retire             422 {"replacement_id":"<entitlement>"}
POST  /entitlements/bulk-update             200 {"filter":{"connector_id":"<connector>","owner_id":"<identity>"},"set":{"business_description":"x"}}
POST  /entitlements/bulk-update             422 {"ids":["<own entitlement>"],"set":{"owner_ids":["<identity>"]}}
POST  /entitlements/bulk-update             200 {"ids":["<entitlement>"],"set":{"business_description":"x"}}
PATCH /entitlements/{id}                    422 {"backup_owner_ids":["<identity>"]}
PATCH /entitlements/{id}                    422 {"replacement_id":"<entitlement>"}
PATCH /entitlements/{id}                    422 {"approval_rule_id":"<rule>"}
POST  /identities                           422 {"external_id":"new","email":"new@acme.test","sponsor_id":"<identity>"}
POST  /identities                           422 {"external_id":"new","email":"new@acme.test","backup_owner_id":"<identity>"}
POST  /identities/sync                      422 {"connector_ids":["<connector>"]}
POST  /identities/{id}/merge                422 {"source_id":"<identity>","reason":"x"}
PATCH /identities/{id}                      422 {"sponsor_id":"<identity>"}
PATCH /identities/{id}                      422 {"backup_owner_id":"<identity>"}
POST  /policies/access-grant                422 {"name":"x","subject":{"match":"all","rules":[]},"resources":{"role_ids":["<account>"]}}
POST  /policies/access-grant                422 {"name":"x","subject":{"match":"all","rules":[]},"resources":{"entitlement_ids":["<account>"]}}
POST  /policies/access-grant                422 {"name":"x","subject":{"match":"all","rules":[]},"resources":{"connector_ids":["<connector>"]}}
POST  /policies/access-grant                422 {"name":"x","subject":{"match":"all","rules":[]},"resources":{"connector_ids":["<own connector>"]},"owner_ids":["<identity>"]}
POST  /policies/access-grant                422 {"name":"x","effect":"require","subject":{"match":"all","rules":[]},"companion":{"role_ids":["<account>"],"entitlement_ids":["<account>"]}}
POST  /policies/access-grant/simulate       422 {"name":"x","subject":{"match":"all","rules":[]},"resources":{"role_ids":["<account>"],"entitlement_ids":["<account>"],"connector_ids":["<connector>"]}}
POST  /policies/access-grant/simulate       422 {"name":"x","subject":{"match":"all","rules":[]},"resources":{"connector_ids":["<own connector>"]},"owner_ids":["<identity>"]}
PATCH /policies/access-grant/{id}           422 {"resources":{"role_ids":["<account>"],"entitlement_ids":["<account>"],"connector_ids":["<connector>"]}}
PATCH /policies/access-grant/{id}           422 {"owner_ids":["<identity>"]}
POST  /policies/access-grant                422 {"name":"x","table":{"columns":["department"],"rows":[{"cells":["x"],"role_ids":["<role>"]}]}}
POST  /policies/access-grant                422 {"name":"x","table":{"columns":["department"],"rows":[{"cells":["x"],"entitlement_ids":["<entitlement>"]}]}}
POST  /policies/decision-tables/check       200 {"table":{"columns":["department"],"rows":[{"cells":["x"],"role_ids":["<role>"],"entitlement_ids":["<entitlement>"]}]}}
POST  /policies/decision-tables/import      404 {"policy_id":"<table>","file":"eA=="}
POST  /policies/duties                    422 {"name":"x","all_of":[{"members":[{"kind":"entitlement","entitlement_id":"<entitlement>"}]}]}
POST  /policies/duties                    422 {"name":"x","all_of":[{"members":[{"kind":"role","role_id":"<role>"}]}]}
POST  /policies/duties                    422 {"name":"x","all_of":[{"members":[{"kind":"external","connector_id":"<connector>","external_id":"y"}]}]}
POST  /policies/duties                    422 {"name":"x","all_of":[{"members":[{"kind":"duty_tag","duty_tag":"y"}]}],"owner_ids":["<identity>"]}
PATCH /policies/duties/{id}               422 {"all_of":[{"members":[{"kind":"connector","connector_id":"<connector>"}]}]}
PATCH /policies/duties/{id}               422 {"all_of":[{"members":[{"kind":"entitlement","entitlement_id":"<entitlement>"},{"kind":"role","role_id":"<role>"}]}]}
PATCH /policies/duties/{id}               422 {"owner_ids":["<identity>"]}
POST  /policies/separation-of-duties      422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<duty>"]}]}
POST  /policies/separation-of-duties      422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<own other duty>"]}],"owner_ids":["<identity>"]}
PATCH /policies/separation-of-duties/{id} 422 {"sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<duty>"]}]}
PATCH /policies/separation-of-duties/{id} 422 {"owner_ids":["<identity>"]}
POST  /policies/separation-of-duties/{id}/simulate 422 {"sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<duty>"]}]}
POST  /policies/separation-of-duties/{id}/simulations 422 {"sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<duty>"]}]}
POST  /policies/separation-of-duties/{id}/simulate 422 {"owner_ids":["<identity>"]}
POST  /policies/separation-of-duties/{id}/simulations 422 {"owner_ids":["<identity>"]}
POST  /policies/duties/{id}/simulate      422 {"all_of":[{"members":[{"kind":"connector","connector_id":"<connector>"}]}]}
POST  /policies/duties/{id}/simulations      422 {"all_of":[{"members":[{"kind":"connector","connector_id":"<connector>"}]}]}
POST  /policies/duties/{id}/simulate      422 {"all_of":[{"members":[{"kind":"entitlement","entitlement_id":"<entitlement>"},{"kind":"role","role_id":"<role>"}]}]}
POST  /policies/duties/{id}/simulations      422 {"all_of":[{"members":[{"kind":"entitlement","entitlement_id":"<entitlement>"},{"kind":"role","role_id":"<role>"}]}]}
POST  /policies/duties/{id}/simulate      422 {"owner_ids":["<identity>"]}
POST  /policies/duties/{id}/simulations      422 {"owner_ids":["<identity>"]}
POST  /policies/separation-of-duties      422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<own other duty>"]}],"mitigation_policy_ids":["<control>"]}
PATCH /policies/separation-of-duties/{id} 422 {"mitigation_policy_ids":["<control>"]}
POST  /policies/separation-of-duties/{id}/simulate 422 {"mitigation_policy_ids":["<control>"]}
POST  /policies/separation-of-duties/{id}/simulations 422 {"mitigation_policy_ids":["<control>"]}
POST  /policies/separation-of-duties/simulate 422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<own other duty>"]}],"mitigation_policy_ids":["<control>"]}
POST  /policies/separation-of-duties/simulations 422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<own other duty>"]}],"mitigation_policy_ids":["<control>"]}
POST  /policies/separation-of-duties/simulate 422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<duty>"]}]}
POST  /policies/separation-of-duties/simulations 422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<duty>"]}]}
POST  /policies/separation-of-duties/simulate 422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<own other duty>"]}],"owner_ids":["<identity>"]}
POST  /policies/separation-of-duties/simulations 422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<own other duty>"]}],"owner_ids":["<identity>"]}
POST  /policies/conditions/validate         200 {"condition":{"match":"all","rules":[]},"sample":["<identity>"]}
POST  /policies/separation-of-duties/predict 404 {"identity_id":"<identity>"}
POST  /policies/separation-of-duties/predict 422 {"identity_id":"<own identity>","add":[{"entitlement_id":"<entitlement>"}]}
POST  /policies/separation-of-duties/predict 422 {"identity_id":"<own identity>","add":[{"role_id":"<role>"}]}
POST  /policies/separation-of-duties/predict 200 {"identity_id":"<own identity>","remove":["<grant>"]}
POST  /policies/separation-of-duties      422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<own other duty>"]}],"effects":{"on_request":"exception"},"exception_rule_id":"<rule>"}
PATCH /policies/separation-of-duties/{id} 422 {"effects":{"on_request":"exception"},"exception_rule_id":"<rule>"}
POST  /policies/separation-of-duties/{id}/simulate 422 {"effects":{"on_request":"exception"},"exception_rule_id":"<rule>"}
POST  /policies/separation-of-duties/{id}/simulations 422 {"effects":{"on_request":"exception"},"exception_rule_id":"<rule>"}
POST  /policies/separation-of-duties/simulate 422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<own other duty>"]}],"effects":{"on_request":"exception"},"exception_rule_id":"<rule>"}
POST  /policies/separation-of-duties/simulations 422 {"name":"x","kind":"pair","sides":[{"duty_ids":["<own duty>"]},{"duty_ids":["<own other duty>"]}],"effects":{"on_request":"exception"},"exception_rule_id":"<rule>"}
POST  /policies/mitigation                422 {"name":"x","evidence":{"kind":"automatic_query","cadence":"P30D","query":{"about":"accounts","expect":"none","connector_ids":["<connector>"],"condition":{"match":"all","rules":[{"field":"account.username","op":"eq","value":"x"}]}}}}
PATCH /policies/mitigation/{id}           422 {"evidence":{"kind":"automatic_query","cadence":"P30D","query":{"about":"accounts","expect":"none","connector_ids":["<connector>"],"condition":{"match":"all","rules":[{"field":"account.username","op":"eq","value":"x"}]}}}}
POST  /policies/mitigation/preview        422 {"query":{"about":"accounts","expect":"none","connector_ids":["<connector>"],"condition":{"match":"all","rules":[{"field":"account.username","op":"eq","value":"x"}]}}}
POST  /policies/mitigation/preview        200 {"query":{"about":"person","expect":"some","condition":{"match":"all","rules":[{"field":"department","op":"eq","value":"x"}]}},"sod_policy_ids":["<policy>"]}
POST  /policies/mitigation                422 {"name":"x","control_owner_ids":["<identity>"]}
POST  /policies/mitigation                422 {"name":"x","approver_ids":["<identity>"]}
POST  /policies/mitigation                422 {"name":"x","applies_to":{"sod_policy_ids":["<policy>"]}}
PATCH /policies/mitigation/{id}           422 {"control_owner_ids":["<identity>"]}
PATCH /policies/mitigation/{id}           422 {"approver_ids":["<identity>"]}
PATCH /policies/mitigation/{id}           422 {"applies_to":{"sod_policy_ids":["<policy>"]}}
POST  /policies/mitigations               422 {"mitigation_policy_id":"<own control>","violation_id":"<violation>","justification":"x"}
POST  /policies/mitigations               422 {"mitigation_policy_id":"<control>","violation_id":"<own violation>","justification":"x"}
POST  /policies/mitigations               422 {"mitigation_policy_id":"<own control>","violation_id":"<own violation>","owner_id":"<identity>","justification":"x"}
POST  /policies/mitigations               422 {"mitigation_policy_id":"<own control>","violation_id":"<own violation>","renewal_of_id":"<mitigation>","justification":"x"}
POST  /policies/violations/{id}/assign      422 {"identity_id":"<identity>"}
POST  /policies/violations/{id}/remediate   422 {"remove":["<grant>"],"reason":"x"}
POST  /settings/api-tokens                  422 {"name":"x","role":"manager","scopes":["identities:read"],"bound_identity_id":"<identity>"}
POST  /settings/sign-in-rules/preview       404 {"rule_id":"<sign-in rule>","rule":{"name":"x","invitation":"mail"}}
POST  /settings/users                       422 {"email":"x@acme.test","identity_id":"<identity>"}
PATCH /settings/users/{id}                  422 {"identity_id":"<identity>"}
POST  /settings/webhooks                    422 {"name":"x","url":"https://127.0.0.1:9/","events":["identity.created"],"owner_ids":["<user>"]}
PATCH /settings/webhooks/{id}               422 {"owner_ids":["<user>"]}
POST  /settings/webhooks/{id}/replay        202 {"from":"<yesterday>","ids":["<event>"]}
`
