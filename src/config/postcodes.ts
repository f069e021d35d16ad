/**
 * Regions of Austrian postcodes by their first digits (the longest match counts): latitude, longitude, grid area of most of the
 * region, and its largest town. Written for this project from public maps; no third-party data set is contained. The coordinates
 * are those of the middle of the region, usually within 25 km of an address in it (5 km in Vienna): enough for weather and
 * the position of the sun.
 */
const REGIONS = `
10 48.21 16.37 wien Wien
102 48.22 16.41 wien Wien-Leopoldstadt
110 48.17 16.38 wien Wien-Favoriten
111 48.17 16.44 wien Wien-Simmering
112 48.17 16.33 wien Wien-Meidling
113 48.18 16.27 wien Wien-Hietzing
114 48.21 16.25 wien Wien-Penzing
115 48.20 16.33 wien Wien-Rudolfsheim
116 48.21 16.31 wien Wien-Ottakring
117 48.23 16.29 wien Wien-Hernals
118 48.23 16.32 wien Wien-Währing
119 48.26 16.34 wien Wien-Döbling
120 48.24 16.38 wien Wien-Brigittenau
121 48.28 16.41 wien Wien-Floridsdorf
122 48.22 16.48 wien Wien-Donaustadt
123 48.14 16.29 wien Wien-Liesing
13 48.12 16.56 niederoesterreich Schwechat
20 48.60 16.08 niederoesterreich Hollabrunn
21 48.55 16.45 niederoesterreich Mistelbach
22 48.35 16.72 niederoesterreich Gänserndorf
23 48.10 16.30 niederoesterreich Mödling
24 48.02 16.80 niederoesterreich Bruck/Leitha
25 47.99 16.20 niederoesterreich Baden
26 47.70 15.98 niederoesterreich Neunkirchen
27 47.81 16.20 niederoesterreich Wiener Neustadt
28 47.58 16.18 niederoesterreich Kirchschlag
30 48.20 15.95 niederoesterreich Neulengbach
31 48.17 15.62 niederoesterreich St. Pölten
32 48.05 15.25 niederoesterreich Scheibbs
33 48.08 14.83 niederoesterreich Amstetten
34 48.33 16.12 niederoesterreich Tulln
35 48.48 15.60 niederoesterreich Krems
36 48.30 15.27 niederoesterreich Melk
37 48.60 15.82 niederoesterreich Eggenburg
38 48.82 15.28 niederoesterreich Waidhofen/Thaya
39 48.65 15.05 niederoesterreich Zwettl
40 48.29 14.29 linz Linz
41 48.50 14.10 oberoesterreich Rohrbach
42 48.45 14.50 oberoesterreich Freistadt
43 48.22 14.68 oberoesterreich Perg
44 48.06 14.42 oberoesterreich Steyr
45 47.92 14.15 oberoesterreich Kirchdorf
46 48.14 13.98 oberoesterreich Wels
47 48.33 13.65 oberoesterreich Grieskirchen
48 47.92 13.67 oberoesterreich Vöcklabruck
49 48.22 13.42 oberoesterreich Ried
50 47.80 13.05 salzburg Salzburg
51 47.98 12.95 salzburg Oberndorf
52 48.10 13.15 oberoesterreich Braunau
53 47.80 13.33 salzburg Mondsee
54 47.60 13.20 salzburg Hallein
55 47.33 13.45 salzburg Radstadt
56 47.25 13.12 salzburg St. Johann/Pongau
57 47.32 12.72 salzburg Zell am See
60 47.27 11.41 innsbruck Innsbruck
606 47.28 11.51 tirol Hall in Tirol
61 47.27 11.45 tirol Schwaz
62 47.30 11.87 tirol Jenbach
63 47.50 12.22 tirol Kufstein
64 47.18 10.90 tirol Imst
65 47.12 10.50 tirol Landeck
66 47.45 10.66 tirol Reutte
67 47.13 9.88 vorarlberg Bludenz
68 47.35 9.68 vorarlberg Dornbirn
69 47.46 9.82 vorarlberg Bregenz
699 47.33 10.16 kleinwalsertal Kleinwalsertal
70 47.84 16.55 burgenland Eisenstadt
71 47.86 16.92 burgenland Neusiedl
72 47.73 16.40 burgenland Mattersburg
73 47.53 16.50 burgenland Oberpullendorf
74 47.30 16.22 burgenland Oberwart
75 47.08 16.30 burgenland Güssing
80 47.07 15.44 graz Graz
81 47.20 15.45 steiermark Weiz
82 47.17 15.88 steiermark Hartberg
83 46.95 15.93 steiermark Feldbach
84 46.81 15.58 steiermark Leibnitz
85 46.93 15.18 steiermark Voitsberg
86 47.48 15.42 steiermark Kapfenberg
87 47.28 14.88 steiermark Leoben
88 47.12 14.20 steiermark Murau
89 47.53 14.10 steiermark Liezen
90 46.62 14.31 klagenfurt Klagenfurt
91 46.60 14.62 kaernten Völkermarkt
92 46.64 14.07 kaernten Velden
93 46.85 14.38 kaernten St. Veit/Glan
94 46.82 14.83 kaernten Wolfsberg
95 46.65 13.92 kaernten Villach
96 46.63 13.38 kaernten Hermagor
97 46.75 13.22 kaernten Greifenburg
98 46.85 13.42 kaernten Spittal/Drau
99 46.85 12.68 tirol Lienz
`;

/** The region of a postcode. */
export interface PostcodeRegion {
  latitude: number;
  longitude: number;
  /** Id of the tariff preset of the grid operator that most of the region has. */
  gridArea: string;
  /** Its largest town. */
  name: string;
}

let regions: ReadonlyMap<string, PostcodeRegion> | undefined;

/** All regions by the first digits of their postcodes. */
export function postcodeRegions(): ReadonlyMap<string, PostcodeRegion> {
  regions ??= new Map(
    REGIONS.trim()
      .split("\n")
      .map((line) => {
        const [prefix = "", latitude, longitude, gridArea = "", ...name] = line.split(" ");
        return [
          prefix,
          { latitude: Number(latitude), longitude: Number(longitude), gridArea, name: name.join(" ") },
        ];
      }),
  );
  return regions;
}

/** The region of an Austrian postcode of four digits; undefined for any other text. */
export function regionOf(postcode: string): PostcodeRegion | undefined {
  if (!/^[1-9]\d{3}$/.test(postcode)) return undefined;
  return postcodeRegions().get(postcode.slice(0, 3)) ?? postcodeRegions().get(postcode.slice(0, 2));
}

/** Degrees of latitude within which a place belongs to the region nearest to it: about 35 km. */
const NEAR_DEG = 0.32;

/** The region whose middle is nearest to a place; undefined far from all of them. */
export function nearestRegion(latitude: number | null, longitude: number | null): PostcodeRegion | undefined {
  if (latitude === null || longitude === null) return undefined;
  const distance = (region: PostcodeRegion) =>
    Math.hypot(
      region.latitude - latitude,
      (region.longitude - longitude) * Math.cos((latitude * Math.PI) / 180),
    );
  const [nearest] = [...postcodeRegions().values()].sort((a, b) => distance(a) - distance(b));
  return nearest !== undefined && distance(nearest) < NEAR_DEG ? nearest : undefined;
}
