/** Endings of inflected words, longest first, by language; what is left has at least `keep` letters. */
const ROMANCE = {
  keep: 3,
  endings: byLastLetter(
    'amientos imientos amiento imiento aciones azioni azione issement ements ement acion ations ation acoes acao ' +
      'adoras adores adora ador andosi andose iendo ando endo antes ante euses euse eurs eur atrice ' +
      'adas ados ada ado idas idos ida ido ate ati ata ato ees iez ions ons ent ez ' +
      'are ere ire arlo rlo arme ar er ir re as os es is us ao oes an en em ee a o e i s x u',
  ),
}
const GERMANIC = {
  keep: 4,
  endings: byLastLetter('ierungen ierung ungen ung ieren ierte iert ern est ten tet em en er es te st e n s t'),
}
const SLAVIC = {
  keep: 3,
  endings: byLastLetter(
    'иями ениями ения ение ений ению ении ться ами ями ого его ому ему ыми ими ать ять ить еть уть ешь ишь ает ует ите ' +
      'йте ай уй ая яя ое ее ые ие ый ий ой ую юю ых их ов ев ей ам ям ах ях ом ем ть ия ии ию а я о е ы и у ю ь й',
  ),
}
const BY_LANGUAGE: Readonly<Record<string, { keep: number; endings: ReadonlyMap<string, readonly string[]> }>> = {
  ...{ es: ROMANCE, pt: ROMANCE, it: ROMANCE, fr: ROMANCE, de: GERMANIC, ru: SLAVIC },
}

/** Endings by their last letter, in the same order: most need not be tried. */
function byLastLetter(endings: string): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const ending of endings.split(' ')) {
    const letter = ending.at(-1) ?? ''
    groups.set(letter, [...(groups.get(letter) ?? []), ending])
  }
  return groups
}

/** The word without its inflection, good enough to look it up. */
export function lightStem(word: string, language: string): string {
  const rules = BY_LANGUAGE[language]
  if (rules === undefined) return word
  const ending = rules.endings
    .get(word.at(-1) ?? '')
    ?.find((end) => word.length - end.length >= rules.keep && word.endsWith(end))
  return ending === undefined ? word : word.slice(0, -ending.length)
}

/** The same for the words of a phrase. */
export function stemPhrase(phrase: string, language: string): string {
  if (!phrase.includes(' ')) return lightStem(phrase, language)
  return phrase
    .split(' ')
    .map((word) => lightStem(word, language))
    .join(' ')
}

/** Is the language written in words that change their endings? */
export function isInflected(language: string): boolean {
  return language in BY_LANGUAGE
}
