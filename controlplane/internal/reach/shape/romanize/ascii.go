package romanize

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// ASCII writes a text in the letters of ASCII. Letters with marks lose them, or with german Ä, Ö and Ü get an e; other
// alphabets and syllabaries are written as they sound, roughly; of signs that say nothing of their sound, as those of
// Chinese, nothing is left.
func ASCII(text string, german bool) string {
	if Plain(text) {
		return text
	}
	text = pairs.Replace(norm.NFC.String(text))
	if german {
		text = umlauts.Replace(text)
	}
	var out strings.Builder
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r < unicode.MaxASCII:
			out.WriteRune(r)
		case r >= 0xAC00 && r <= 0xD7A3:
			out.WriteString(hangul(r))
		case kana(runes[i]) != "":
			i += syllables(&out, runes[i:]) - 1
		case unicode.Is(unicode.Devanagari, r):
			i += devanagari(&out, runes[i:]) - 1
		default:
			letter(&out, r)
		}
	}
	return out.String()
}

// Plain reports whether a text is of ASCII alone.
func Plain(text string) bool {
	for i := range len(text) {
		if text[i] > unicode.MaxASCII {
			return false
		}
	}
	return true
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue")

// pairs are two letters of Greek with one sound.
var pairs = strings.NewReplacer("ου", "ou", "ού", "ou", "Ου", "Ou", "Ού", "Ou", "ΟΥ", "OU")

// letter writes a letter by the tables, or without its marks.
func letter(out *strings.Builder, r rune) {
	if s, ok := latin(r); ok {
		out.WriteString(s)
		return
	}
	for _, part := range norm.NFKD.String(string(r)) {
		if part <= unicode.MaxASCII {
			out.WriteRune(part)
		} else if s, ok := latin(part); ok {
			out.WriteString(s)
		}
	}
}

// latin finds a letter in either case.
func latin(r rune) (string, bool) {
	if s, ok := letters[r]; ok {
		return s, true
	}
	if lower := unicode.ToLower(r); lower != r {
		if s, ok := letters[lower]; ok && s != "" {
			return strings.ToUpper(s[:1]) + s[1:], true
		}
	}
	return "", false
}

// letters are those of alphabets, by their lower case: words of letters and their sounds, in turns.
var letters = table(
	// Latin letters that are none of ASCII with a mark
	"ß ss æ ae œ oe ø o đ d ð d þ th ł l ħ h ı i ŋ n ŧ t ĸ k ſ s ə a ɓ b ɗ d ƙ k ƴ y ʻ ' ʼ ' ʾ ' ʿ ' ’ ' ‘ ' ‐ - ‑ - "+
		"– - — -",
	// Cyrillic
	"а a б b в v г g д d е e ё e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ "+
		"shch ъ . ы y ь . э e ю yu я ya",
	"і i ї yi є ye ґ g ў u ђ dj ј j љ lj њ nj ћ c џ dz ѓ gj ќ kj ѕ dz ә a ғ g қ q ң n ө o ұ u ү u һ h ҳ h ҷ j ӣ i ӯ u",
	// Greek
	"α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o",
	// Armenian
	"ա a բ b գ g դ d ե e զ z է e ը y թ t ժ zh ի i լ l խ kh ծ ts կ k հ h ձ dz ղ gh ճ ch մ m յ y ն n շ sh ո o չ ch պ p "+
		"ջ j ռ r ս s վ v տ t ր r ց ts ւ w փ p ք k օ o ֆ f և ev",
	// Georgian
	"ა a ბ b გ g დ d ე e ვ v ზ z თ t ი i კ k ლ l მ m ნ n ო o პ p ჟ zh რ r ს s ტ t უ u ფ p ქ k ღ gh ყ q შ sh ჩ ch ც "+
		"ts ძ dz წ ts ჭ ch ხ kh ჯ j ჰ h",
	// Hebrew
	"א a ב b ג g ד d ה h ו v ז z ח ch ט t י y כ k ך k ל l מ m ם m נ n ן n ס s ע a פ p ף p צ ts ץ ts ק k ר r ש sh ת t",
	// Arabic and Persian
	"ا a أ a إ i آ a ب b ت t ث th ج j ح h خ kh د d ذ dh ر r ز z س s ش sh ص s ض d ط t ظ z ع a غ gh ف f ق q ك k ک k ل "+
		"l م m ن n ه h ة a و w ؤ w ي y ی y ى a ئ y ء . پ p چ ch ژ zh گ g",
	// Thai
	"ก k ข kh ค kh ฆ kh ง ng จ ch ฉ ch ช ch ซ s ฌ ch ญ y ฎ d ฏ t ฐ th ฑ th ฒ th ณ n ด d ต t ถ th ท th ธ th น n บ b ป "+
		"p ผ ph ฝ f พ ph ฟ f ภ ph ม m ย y ร r ล l ว w ศ s ษ s ส s ห h ฬ l อ o ฮ h ะ a ั a า a ำ am ิ i ี i ึ ue ื ue "+
		"ุ u ู u เ e แ ae โ o ใ ai ไ ai",
)

func table(lines ...string) map[rune]string {
	out := map[rune]string{}
	for _, line := range lines {
		words := strings.Fields(line)
		for i := 0; i+1 < len(words); i += 2 {
			sound := words[i+1]
			if sound == "." { // it has no sound of its own
				sound = ""
			}
			for _, r := range words[i] {
				out[r] = sound
			}
		}
	}
	return out
}

var (
	hangulFirst  = strings.Fields("g kk n d tt r m b pp s ss . j jj ch k t p h")
	hangulMiddle = strings.Fields("a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i")
	hangulLast   = strings.Fields(". k k k n n n t l k m l l l p l m p p t t ng t t k t p t")
)

// hangul writes a syllable of Korean as the Revised Romanization does, each by itself.
func hangul(r rune) string {
	i := int(r - 0xAC00)
	return strings.ReplaceAll(hangulFirst[i/588]+hangulMiddle[i%588/28]+hangulLast[i%28], ".", "")
}

var kanas = table(
	"あ a い i う u え e お o か ka き ki く ku け ke こ ko が ga ぎ gi ぐ gu げ ge ご go さ sa し shi す su せ se そ so ざ za じ ji ず zu "+
		"ぜ ze ぞ zo "+
		"た ta ち chi つ tsu て te と to だ da ぢ ji づ zu で de ど do な na に ni ぬ nu ね ne の no は ha ひ hi ふ fu へ he ほ ho ば ba "+
		"び bi ぶ bu べ be ぼ bo "+
		"ぱ pa ぴ pi ぷ pu ぺ pe ぽ po ま ma み mi む mu め me も mo や ya ゆ yu よ yo ら ra り ri る ru れ re ろ ro わ wa ゐ i ゑ e を o "+
		"ん n ゔ vu",
	"ぁ a ぃ i ぅ u ぇ e ぉ o ゃ ya ゅ yu ょ yo っ .",
)

// hiragana is the syllable of either of the two ways in which Japanese writes it.
func hiragana(r rune) rune {
	if r >= 'ァ' && r <= 'ヴ' {
		return r - 'ァ' + 'ぁ'
	}
	return r
}

func kana(r rune) string {
	if r == 'ー' || r == 'っ' || r == 'ッ' {
		return "-"
	}
	return kanas[hiragana(r)]
}

// syllables writes the first syllable of runes, and returns its number of runes.
func syllables(out *strings.Builder, runes []rune) int {
	first := hiragana(runes[0])
	if first == 'ー' { // the vowel before it is long
		return 1
	}
	if first == 'っ' { // the consonant after it is doubled
		if len(runes) > 1 {
			if next := kana(runes[1]); next != "" && !strings.ContainsRune("aiueon-", rune(next[0])) {
				out.WriteByte(next[0])
			}
		}
		return 1
	}
	sound := kanas[first]
	if len(runes) > 1 && len(sound) > 1 && strings.HasSuffix(sound, "i") {
		switch small := hiragana(runes[1]); small {
		case 'ゃ', 'ゅ', 'ょ':
			glide := kanas[small]
			if strings.HasSuffix(sound, "hi") && sound != "hi" || sound == "ji" {
				glide = glide[1:]
			}
			out.WriteString(sound[:len(sound)-1] + glide)
			return 2
		}
	}
	out.WriteString(sound)
	return 1
}

var (
	nagariConsonants = table(
		"क k ख kh ग g घ gh ङ n च ch छ chh ज j झ jh ञ n ट t ठ th ड d ढ dh ण n त t थ th द d ध dh न n प p फ ph ब b भ bh " +
			"म m य y र r ल l ळ l व v श sh ष sh स s ह h",
	)
	nagariVowels = table("अ a आ a इ i ई i उ u ऊ u ऋ ri ए e ऐ ai ओ o औ au")
	nagariSigns  = table("ा a ि i ी i ु u ू u ृ ri े e ै ai ो o ौ au ्  . ं n ँ n ः h")
)

// devanagari writes the first letter of runes with the vowel that is part of it, and returns its number of runes.
func devanagari(out *strings.Builder, runes []rune) int {
	consonant, ok := nagariConsonants[runes[0]]
	if !ok {
		out.WriteString(nagariVowels[runes[0]] + nagariSigns[runes[0]])
		return 1
	}
	out.WriteString(consonant)
	n := 1
	if n < len(runes) && runes[n] == '़' { // the dot below
		n++
	}
	// A consonant is followed by an a, but at the end of a word and where a sign says otherwise.
	if n < len(runes) {
		_, another := nagariConsonants[runes[n]]
		_, vowel := nagariVowels[runes[n]]
		if another || vowel || runes[n] == 'ं' || runes[n] == 'ँ' || runes[n] == 'ः' {
			out.WriteByte('a')
		}
	}
	return n
}
