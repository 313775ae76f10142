// Parses messages: each line of the input is one in base64, each line of the output is what the parser found in it.
import { createInterface } from "node:readline";
import PostalMime from "postal-mime";

for await (const line of createInterface({ input: process.stdin })) {
  const m = await PostalMime.parse(Buffer.from(line, "base64"));
  const addresses = (list) => (list ?? []).map((a) => a.address ?? "");
  process.stdout.write(
    `${JSON.stringify({
      to: addresses(m.to),
      others: [...addresses(m.cc), ...addresses(m.bcc)],
      from: m.from?.address ?? "",
      subject: m.subject ?? "",
      id: m.messageId ?? "",
      headers: m.headers.map((h) => h.key),
      text: m.text ?? "",
      html: m.html ?? "",
      attachments: m.attachments.length,
    })}\n`,
  );
}
