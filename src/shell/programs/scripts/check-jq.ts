import type { ScriptVerdict } from './script-verdict.js'

/**
 * Checks that a jq program uses only known functions and reads neither modules nor the environment. Because jq can neither
 * write files nor run programs, checking the tokens is enough.
 */
export function checkJq(script: string): ScriptVerdict {
  const isAccepted = new JqReader(script).accepts()
  const problem = isAccepted ? undefined : 'has a jq program that may read other files'
  return { problem, mayRun: false, reads: [], writes: [] }
}

/** A path such as `.a.b[0]`, optionally piped into `keys` or `length`. All programs named `yq` understand it alike. */
const PLAIN_PATH =
  /^ ?\.(?:[A-Za-z_][\w-]*)?(?:\.[A-Za-z_][\w-]*|\.?\[(?:-?\d{1,9}|"[\w ./@-]*")?\])*(?: ?\| ?(?:keys|length|\.\[\]))* ?$/

export function checkYq(script: string): ScriptVerdict {
  const problem = PLAIN_PATH.test(script) ? undefined : 'has a yq program that may read other files'
  return { problem, mayRun: false, reads: [], writes: [] }
}

const toSet = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const JQ_KEYWORDS = toSet('if then elif else end as reduce foreach try catch label and or not __loc__')
/** Functions that depend only on the input. Excluded: `env`, `get_search_list`, `modulemeta`, and whatever is added later. */
const KNOWN_FUNCTIONS = toSet(
  [
    'abs acos acosh add all any arrays ascii ascii_downcase ascii_upcase asin asinh atan atan2 atanh booleans break bsearch',
    'builtins capture cbrt ceil combinations contains copysign cos cosh debug del delpaths drem empty endswith erf error',
    'exp exp10 exp2 explode expm1 fabs false finites first flatten floor fma fmax fmin fmod format frexp from_entries',
    'fromdate fromdateiso8601 fromjson fromstream gamma getpath gmtime group_by gsub halt halt_error has hypot implode in',
    'index indices infinite input input_filename input_line_number inputs inside isempty isfinite isinfinite isnan isnormal',
    'isvalid iterables join keys keys_unsorted last ldexp length lgamma limit localtime log log10 log1p log2 ltrim ltrimstr',
    'map map_values match max max_by min min_by mktime modf nan nearbyint normals now nth null nulls numbers objects path',
    'paths pick pow range recurse recurse_down repeat reverse rindex rint round rtrim rtrimstr scalars scan select setpath',
    'sin sinh skip sort sort_by split splits sqrt startswith stderr strftime strings strptime sub tan tanh test to_entries',
    'toarray toboolean todate todateiso8601 tojson tonumber tostream tostring transpose trim trimstr true trunc',
    'truncate_stream type unique unique_by until utf8bytelength values walk while with_entries splits getpath have_literal_numbers',
    'dateadd datesub date dateiso8601 ascii fromstream group_by tojson min_by error significand logb ltrimstr add INDEX IN GROUP_BY',
  ].join(' '),
)
const REFUSED_NAMES = toSet('env get_search_list import include module modulemeta')
const KNOWN_FORMATS = toSet('@text @json @html @uri @urid @csv @tsv @sh @base64 @base64d')
const BLANKS = /(?:[ \t\r\n]|#[^\n\\\r]*(?:\n|$))*/y
const NAME = /[A-Za-z_]\w*/y
const FIELD_ACCESS = /\.[A-Za-z_]\w*/y
const VARIABLE_REFERENCE = /\$[ \t]*([A-Za-z_]\w*)/y
const FORMAT_NAME = /@[a-z0-9]+/y
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const OPERATOR = /\?\/\/=?|\|=|\/\/=?|[-+*/%]=|[=!<>]=|[.[\]{}()|,:;=<>+\-*/%?]/y
const STRING_PART = /(?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*/y
const FUNCTION_DEFINITION = /\s+([A-Za-z_]\w*)\s*(?:\(([\w\s;$]*)\))?\s*:(?!:)/y
const MAX_DEPTH = 100

class JqReader {
  private at = 0
  /** The open brackets, with a quote for each string that contains the current interpolation. */
  private readonly openBrackets: string[] = []
  /** The functions that the program defines, and their parameters, which are functions too. */
  private readonly definedNames = new Set<string>()

  constructor(private readonly script: string) {}

  accepts(): boolean {
    while (this.at < this.script.length) if (!this.readToken()) return false
    return this.openBrackets.length === 0
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.script)
    this.at += match?.[0].length ?? 0
    return match
  }

  private readToken(): boolean {
    if (this.take(BLANKS)?.[0] !== '' || this.take(NUMBER) !== null || this.take(FIELD_ACCESS) !== null) return true
    const name = this.take(NAME)?.[0]
    if (name !== undefined) return this.acceptsName(name)
    const variable = this.take(VARIABLE_REFERENCE)?.[1]
    if (variable !== undefined) return variable !== 'ENV' && !this.script.startsWith('::', this.at)
    const format = this.take(FORMAT_NAME)?.[0]
    if (format !== undefined) return KNOWN_FORMATS.has(format)
    if (this.script[this.at] === '"') {
      this.at += 1
      return this.readString()
    }
    const operator = this.take(OPERATOR)?.[0]
    return operator !== undefined && this.trackBracket(operator)
  }

  private acceptsName(name: string): boolean {
    if (this.script.startsWith('::', this.at)) return false
    if (name === 'def') return this.readDefinition()
    return JQ_KEYWORDS.has(name) || KNOWN_FUNCTIONS.has(name) || this.definedNames.has(name) || this.isKey(name)
  }

  private readDefinition(): boolean {
    const [definition, name = '', parameters = ''] = this.take(FUNCTION_DEFINITION) ?? []
    const names = [name, ...parameters.split(/[\s;$]+/)].filter((word) => word !== '')
    for (const definedName of names) this.definedNames.add(definedName)
    // A definition may not reuse a refused name: outside of its scope, the name would still be the built-in function.
    return definition !== undefined && !names.some((definedName) => REFUSED_NAMES.has(definedName))
  }

  /** Whether the name is a key, as in `{env: 1}` or `{env}`, which means `{env: .env}`. */
  private isKey(name: string): boolean {
    if (this.openBrackets.at(-1) !== '{') return false
    if (/^\s*:/.test(this.script.slice(this.at, this.at + 40))) return true
    const textBefore = this.script.slice(0, this.at - name.length).trimEnd()
    return /[{,]$/.test(textBefore) && /^\s*[,}]/.test(this.script.slice(this.at, this.at + 40))
  }

  /** Reads a string up to its end or the next interpolation. */
  private readString(): boolean {
    this.take(STRING_PART)
    if (this.script[this.at] === '"') {
      this.at += 1
      return true
    }
    if (!this.script.startsWith('\\(', this.at)) return false
    this.at += 2
    this.openBrackets.push('"')
    return this.openBrackets.length < MAX_DEPTH
  }

  private trackBracket(operator: string): boolean {
    if ('([{'.includes(operator)) {
      this.openBrackets.push(operator)
      return this.openBrackets.length < MAX_DEPTH
    }
    if (!')]}'.includes(operator)) return true
    const openingBracket = this.openBrackets.pop()
    if (openingBracket === '"') return operator === ')' && this.readString()
    return openingBracket === { ')': '(', ']': '[', '}': '{' }[operator]
  }
}
