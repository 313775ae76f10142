package people

import (
	"math/rand/v2"
	"strings"
)

// culture is where a name comes from: given and family names that go together.
type culture struct {
	given, family []string
}

// culturesOf says whose names are common in an office's country; everywhere else all of them occur.
var culturesOf = map[string][]string{
	"DE": {"german", "german", "turkish", "polish"},
	"PL": {"polish", "polish", "ukrainian"},
	"IE": {"english", "english", "irish"},
	"CA": {"english", "french", "indian", "chinese"},
	"SG": {"chinese", "chinese", "indian", "vietnamese"},
	"BR": {"portuguese", "portuguese", "japanese"},
	"FR": {"french", "french", "arabic"},
	"IN": {"indian"},
}

// cultures holds the pools. An entry "Юлія=Yuliia" gives the name and its Latin spelling.
var cultures = map[string]culture{
	"german": pool(
		"Anna Lukas Sophie Jürgen Käthe Björn Annika Götz Marlene Felix Jörg Hannah Matthias Ulrike Sören Lena "+
			"Niklas Heike Tobias Frauke Günther Merle Stefan Dörte",
		"Müller Schmidt Weiß Fischer Schäfer Köhler Böhm Krüger Hoffmann Großmann Richter Jäger Lange Vogt Schröder "+
			"Hartmann Busch Kühn Brandt Seidel Lüders Petersen Wulff Claasen",
	),
	"french": pool(
		"Chloé Étienne Hélène Benoît Amélie Loïc Noémie François Margaux Rémi Inès Gaël Aurélie Théo Solène Mathieu "+
			"Zoé Jérôme Élodie Cédric",
		"Dubois Lefèvre Bénard Girard Fournier Guérin Rousseau Mercier Lemaître Hérault Chevalier Perrin Barthélemy "+
			"Gautier Renaud Marchand d'Aubigné Fontaine Besson Le_Goff",
	),
	"english": pool(
		"Emily James Grace Oliver Charlotte Henry Ruby Thomas Alice William Lucy George Hazel Samuel Ivy Benjamin "+
			"Nora Edward Molly Daniel",
		"Brown Taylor Wilson Clarke Hughes Wright Turner Cooper Ward Bennett Fletcher Hayes Holloway Marsh Pemberton "+
			"Ashworth Whitfield Thornton Smith-Jones Baker",
	),
	"irish": pool(
		"Aoife Niamh Cillian Saoirse Pádraig Róisín Eoghan Ciarán Siobhán Darragh Máire Tadhg Oisín Caoimhe Donal "+
			"Sinéad",
		"O'Brien O'Sullivan Byrne Ó_Dálaigh Kelly Doyle McCarthy Gallagher Nolan Fitzgerald Ní_Bhriain Keane Quinn "+
			"Brennan Walsh O'Shea",
	),
	"polish": pool(
		"Agnieszka Paweł Małgorzata Łukasz Zofia Michał Ewa Grzegorz Katarzyna Bartłomiej Hanna Wojciech Joanna "+
			"Stanisław Magdalena Przemysław Józef Żaneta",
		"Kowalski Wiśniewska Wójcik Kamiński Zieliński Szymańska Dąbrowski Król Jabłoński Łoś Pawłowska Głowacki "+
			"Źrebiec Świątek Nowak Ćwik Gołębiewska Żak",
	),
	"ukrainian": pool(
		"Юлія=Yuliia Олег=Oleh Дарина=Daryna Тарас=Taras Марія=Mariia Богдан=Bohdan Ірина=Iryna Andrii Svitlana "+
			"Vasyl Oksana Mykola",
		"Шевченко=Shevchenko Коваль=Koval Мельник=Melnyk Бондар=Bondar Лисенко=Lysenko Kravchuk Savchenko Tkachenko "+
			"Polishchuk Hrytsenko",
	),
	"turkish": pool("Ayşe Mehmet Elif Çağla Emre Gül İrem Ömer Şule Özgür Zeynep Barış Yiğit Defne",
		"Yılmaz Şahin Çelik Öztürk Kılıç Aydın Güneş Doğan Arslan Koç Işık Bulut"),
	"portuguese": pool(
		"João Beatriz Conceição Thiago Luísa Gonçalo Inês Mateus Letícia André Vitória Caetano Patrícia Antônio "+
			"Fabrício Mônica",
		"Silva Souza Gonçalves Araújo Conceição Magalhães Simões Pereira Brandão Assunção Ferreira Guimarães da_Cruz "+
			"dos_Santos Teixeira Nóbrega",
	),
	"indian": pool(
		"Priya Arjun Lakshmi Rohan Ananya Vikram Kavya Sanjay Divya Harish Meera Aditya Shreya Imran Nandini Karthik "+
			"Fatima Suresh Pooja Rahul",
		"Sharma Patel Iyer Reddy Nair Gupta Banerjee Khan Menon Rao Chatterjee Desai Krishnamurthy Singh Joshi "+
			"Pillai Bhattacharya Kulkarni Mehta Das",
	),
	"chinese": pool("Wei Xiu_Ying Jun Mei_Ling Hao Li_Na Jian Yan Zhi_Hao Fang 伟=Wei 秀英=Xiuying 敏=Min 静=Jing Lü",
		"Chen Wang Lim Tan Zhang Ng Liu Huang Goh Ong 王=Wang 李=Li 张=Zhang 陈=Chen Lü Teo"),
	"vietnamese": pool("Thị_Lan Văn_Đức Minh_Châu Quốc_Huy Thu_Hằng Đình_Nam Ngọc_Ánh Bảo Hương Tuấn",
		"Nguyễn Trần Lê Phạm Hoàng Võ Đặng Bùi Đỗ Ngô"),
	"japanese": pool("Haruka Kenji Yūko Satoshi Naomi Takeshi Akemi Hiroshi Kaori Daisuke 結衣=Yui 大翔=Hiroto",
		"Tanaka Satō Suzuki Nakamura Ōno Kobayashi Yamamoto Fujii 佐藤=Sato 高橋=Takahashi"),
	"arabic": pool("Yasmine Karim Leïla Farid Samira Nabil Amina Rachid Soraya Tarek Nour Walid",
		"Benali Haddad El_Mansouri Cherif Bouzid Khoury Saïdi Belkacem Mansour Zerrouki"),
	"spanish": pool("Lucía Álvaro Begoña Íñigo María_José Rubén Nuria Andrés Ángela Joaquín Sofía Martín",
		"García Muñoz Ibáñez Núñez Peña Martínez Castaño López_Vega Domínguez Ordóñez Rubio Sáez"),
	"nordic": pool("Åsa Øyvind Freja Mikkel Þóra Jökull Aino Päivi Kåre Ingrid Søren Elín",
		"Andersson Ødegård Kjær Hansen Lindström Mäkinen Guðmundsdóttir Nygård Bjørnstad Eriksen Sjöberg Ås"),
	"dutch": pool("Sanne Joost Femke Pieter Lotte Ruben Anouk Maarten Noor Thijs",
		"van_der_Berg de_Vries Jansen Bakker van_Dijk Visser ter_Horst Mulder Smit in_'t_Veld"),
	"greek": pool("Ελένη=Eleni Νίκος=Nikos Σοφία=Sofia Dimitris Katerina Yannis Despina Spyros",
		"Παπαδόπουλος=Papadopoulos Georgiou Nikolaidis Ioannou Βασιλείου=Vasileiou Economou Karras"),
}

// cultureNames is the key set of cultures in a fixed order, for a draw that a seed repeats.
var cultureNames = []string{
	"german",
	"french",
	"english",
	"irish",
	"polish",
	"ukrainian",
	"turkish",
	"portuguese",
	"indian",
	"chinese",
	"vietnamese",
	"japanese",
	"arabic",
	"spanish",
	"nordic",
	"dutch",
	"greek",
}

func pool(given, family string) culture {
	return culture{given: strings.Fields(given), family: strings.Fields(family)}
}

// name is how somebody is called, and how that is spelled in ASCII.
type name struct {
	given, family           string
	plainGiven, plainFamily string
}

// drawName picks a name that fits the country six times in ten.
func drawName(r *rand.Rand, country string) name {
	from := cultureNames
	if local := culturesOf[country]; len(local) > 0 && r.IntN(10) < 6 {
		from = local
	}
	c := cultures[from[r.IntN(len(from))]]
	return newName(c.given[r.IntN(len(c.given))], c.family[r.IntN(len(c.family))])
}

func newName(given, family string) name {
	var n name
	n.given, n.plainGiven = spell(given)
	n.family, n.plainFamily = spell(family)
	return n
}

// spell splits "Юлія=Yuliia" and gives every other name its ASCII spelling. An underscore stands for
// a space inside a name.
func spell(entry string) (shown, plain string) {
	entry = strings.ReplaceAll(entry, "_", " ")
	if shown, plain, ok := strings.Cut(entry, "="); ok {
		return shown, asciiWord(plain)
	}
	return entry, asciiWord(entry)
}

// folds gives the letters of the pools in ASCII. German umlauts take an e, as German logins do.
var folds = strings.NewReplacer(
	"ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "å", "aa", "ø", "oe", "æ", "ae", "þ", "th", "ð", "d",
	"á", "a", "à", "a", "â", "a", "ã", "a", "ả", "a", "ạ", "a", "ắ", "a", "ằ", "a", "ă", "a", "ą", "a",
	"ç", "c", "ć", "c", "č", "c", "đ", "d",
	"é", "e", "è", "e", "ê", "e", "ë", "e", "ę", "e", "ễ", "e", "ế", "e",
	"ğ", "g", "í", "i", "ì", "i", "î", "i", "ï", "i", "ị", "i", "ı", "i", "i̇", "i",
	"ł", "l", "ñ", "n", "ń", "n", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ō", "o", "ọ", "o", "ố", "o", "ỗ", "o",
	"ś", "s", "ş", "s", "š", "s", "ú", "u", "ù", "u", "û", "u", "ū", "u", "ư", "u", "ơ", "o", "ấ", "a", "ầ", "a",
	"ý", "y", "ź", "z", "ż", "z", "ž", "z", "ũ", "u",
)

// asciiWord is a name as a login spells it: lower case a to z, nothing else.
func asciiWord(s string) string {
	var b strings.Builder
	for _, c := range folds.Replace(strings.ToLower(s)) {
		if c >= 'a' && c <= 'z' {
			b.WriteRune(c)
		}
	}
	return b.String()
}
