/** What ripgrep complained about: single files, which it gave up and went on, and whatever else, after which it did nothing. */
export interface SplitComplaint {
  readonly files: readonly { readonly printed: string; readonly said: string }[]
  readonly rest: string
}

/** A name may hold colons and newlines, so that it is told by what follows it. */
const ABOUT_A_FILE = /^rg: ([\s\S]+?): (PCRE2: error matching: .*|[^:\n]+ \(os error \d+\))$/gm
/** A file that has gone meanwhile holds nothing. */
const GONE = /\(os error 2\)$/

/** No complaint: nothing fits, which the result says. */
const NOTHING_TO_SEARCH = /^(?:rg: )?No files were searched,.*\n?.*being skipped\.$/gm

export function splitComplaint(complaint: string): SplitComplaint {
  const found = [...complaint.matchAll(ABOUT_A_FILE)].map(([, printed = '', said = '']) => ({ printed, said }))
  const files = found.filter(({ said }) => !GONE.test(said))
  return { files, rest: complaint.replace(ABOUT_A_FILE, '').replace(NOTHING_TO_SEARCH, '').trim() }
}
