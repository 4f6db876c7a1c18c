import { createHmac } from 'node:crypto'
import type { FleetDatabase } from '../database/fleet-database.js'
import { resolveSecret } from '../runs/secret-references.js'

const WEBHOOK_TIMEOUT_MS = 10_000

/**
 * Tells the webhook of a tenant that a run asks something. The operator sets its address, and the key of the signature by reference. The body names the
 * question but not its content, which the receiver fetches with its own token.
 */
export async function notifyWebhook(
  database: FleetDatabase,
  run: { readonly id: string; readonly tenant: string },
  question: { readonly id: string; readonly kind: string },
): Promise<void> {
  const [tenant] = await database.query<{ webhook_url: string | null; webhook_secret_ref: string | null }>(
    'SELECT webhook_url, webhook_secret_ref FROM haft_fleet.tenants WHERE name = $1',
    [run.tenant],
  )
  if (tenant === undefined || tenant.webhook_url === null) return
  const body = JSON.stringify({ type: 'question', run: run.id, question: question.id, kind: question.kind })
  const secret = tenant.webhook_secret_ref === null ? undefined : await resolveSecret(tenant.webhook_secret_ref)
  const response = await fetch(tenant.webhook_url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(secret !== undefined && {
        'x-haft-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      }),
    },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`it answered with status ${response.status}`)
}
