const ENGLISH_SUFFIXES: readonly (readonly [suffix: string, replacement: string])[] = [
  ['ization', 'ize'],
  ['isation', 'ize'],
  ['ational', 'ate'],
  ['ation', 'ate'],
  ['ement', 'e'],
  ['izer', 'ize'],
  ['iser', 'ize'],
  ['ise', 'ize'],
  ['ator', 'ate'],
  ['ly', ''],
]
/** Words that only look inflected. */
const UNINFLECTED_WORDS = [
  'news',
  'series',
  'species',
  'does',
  'lens',
  'wedding',
  'bing',
  'sms',
  'aws',
  'ios',
  'kubernetes',
  'postgres',
]
const stemCache = new Map<string, string>(UNINFLECTED_WORDS.map((word) => [word, word]))
const MAX_CACHED_STEMS = 50_000

/** Maps the inflected forms of an English word to one stem, which need not be a word itself. */
export function stem(word: string): string {
  if (word.length <= 3) return word
  const cachedStem = stemCache.get(word)
  if (cachedStem !== undefined) return cachedStem
  const result = stripFinalVowel(stripSuffix(stripTense(stripPlural(word))))
  if (stemCache.size < MAX_CACHED_STEMS) stemCache.set(word, result)
  return result
}

function stripPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word
}

function stripTense(word: string): string {
  const endingLength = word.endsWith('ing') && word.length > 5 ? 3 : /[^e]ed$/.test(word) && word.length > 4 ? 2 : 0
  const baseWord = word.slice(0, word.length - endingLength)
  if (endingLength === 0 || !/[aeiouy]/.test(baseWord)) return word
  if (/(?:at|bl|iz)$/.test(baseWord)) return `${baseWord}e`
  return /([^aeioulsz])\1$/.test(baseWord) ? baseWord.slice(0, -1) : baseWord
}

function stripSuffix(word: string): string {
  for (const [suffix, replacement] of ENGLISH_SUFFIXES)
    if (word.endsWith(suffix) && word.length - suffix.length >= 3) return word.slice(0, -suffix.length) + replacement
  return word
}

function stripFinalVowel(word: string): string {
  if (word.length <= 3) return word
  if (word.endsWith('e')) return word.slice(0, -1)
  return word.endsWith('y') ? `${word.slice(0, -1)}i` : word
}

interface InflectionRules {
  /** The stem keeps at least this many letters. */
  readonly minStem: number
  /** Endings by their last letter. The first one that fits is removed. */
  readonly endings: ReadonlyMap<string, readonly string[]>
}

const ROMANCE_RULES: InflectionRules = {
  minStem: 3,
  endings: groupByLastLetter(
    'amientos imientos amiento imiento aciones azioni azione issement ements ement acion ations ation acoes acao ' +
      'adoras adores adora ador andosi andose iendo ando endo antes ante euses euse eurs eur atrice ' +
      'adas ados ada ado idas idos ida ido ate ati ata ato ees iez ions ons ent ez ' +
      'are ere ire arlo rlo arme ar er ir re as os es is us ao oes an en em ee a o e i s x u',
  ),
}
const GERMANIC_RULES: InflectionRules = {
  minStem: 4,
  endings: groupByLastLetter('ierungen ierung ungen ung ieren ierte iert ern est ten tet em en er es te st e n s t'),
}
const SLAVIC_RULES: InflectionRules = {
  minStem: 3,
  endings: groupByLastLetter(
    'иями ениями ения ение ений ению ении ться ами ями ого его ому ему ыми ими ать ять ить еть уть ешь ишь ает ует ите ' +
      'йте ай уй ая яя ое ее ые ие ый ий ой ую юю ых их ов ев ей ам ям ах ях ом ем ть ия ии ию а я о е ы и у ю ь й',
  ),
}
const INFLECTED_LANGUAGES: Readonly<Record<string, InflectionRules>> = {
  ...{
    es: ROMANCE_RULES,
    pt: ROMANCE_RULES,
    it: ROMANCE_RULES,
    fr: ROMANCE_RULES,
    de: GERMANIC_RULES,
    ru: SLAVIC_RULES,
  },
}

/** Groups endings by their last letter, in the same order, so that a word is compared with few of them. */
function groupByLastLetter(endings: string): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const ending of endings.split(' ')) {
    const letter = ending.at(-1) ?? ''
    groups.set(letter, [...(groups.get(letter) ?? []), ending])
  }
  return groups
}

/** Strips the inflection of a word in another language. Approximate, but sufficient to look up the word. */
export function stemLightly(word: string, language: string): string {
  const rules = INFLECTED_LANGUAGES[language]
  if (rules === undefined) return word
  const ending = rules.endings
    .get(word.at(-1) ?? '')
    ?.find((end) => word.length - end.length >= rules.minStem && word.endsWith(end))
  return ending === undefined ? word : word.slice(0, -ending.length)
}

/** Applies `stemLightly` to every word of a phrase. */
export function stemPhrase(phrase: string, language: string): string {
  if (!phrase.includes(' ')) return stemLightly(phrase, language)
  return phrase
    .split(' ')
    .map((word) => stemLightly(word, language))
    .join(' ')
}

/** Whether `stemLightly` has rules for the language. */
export function isInflected(language: string): boolean {
  return language in INFLECTED_LANGUAGES
}
