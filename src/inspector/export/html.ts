import { createHash } from 'node:crypto'

/** The files of the page. */
export interface PageAssets {
  readonly html: string
  readonly script: string
  readonly style: string
}

/**
 * Creates one HTML file that contains the page and a session. It loads nothing and may run only its own script: the policy
 * names the hash of each part.
 */
export function toHtmlFile({ script, style }: PageAssets, title: string, data: unknown): string {
  // The script must not end early, whatever it contains.
  const safeScript = script.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--')
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(safeScript)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<div id="app"></div>',
    `<script type="application/json" id="data">${toScriptJson(data)}</script>`,
    `<script type="module">${safeScript}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/** Serialises data for a script element. Without `<`, nothing in it can end the element. */
function toScriptJson(data: unknown): string {
  return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
