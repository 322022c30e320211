"""The words the worlds are told in, kind by kind: who is a she, what is a colour, where is a place.

No word stands in two kinds, so a word says what it is wherever it stands; a grammar can be read backwards then.
"""

GIRLS = tuple(
    "Lily Mia Anna Zoe Nora Ella Ruby Ivy Maya Rosa Alma Tess Clara Hana Leila Sara Emma Olivia Ava Sophia Amelia "
    "Isla Freya Grace Alice Lucy Hannah Molly Daisy Poppy Elsie Edith Flora Greta Heidi Ines Jana Julia Kira Laura "
    "Lena Lola Luna Maria Marta Nina Olga Paula Petra Rita Sofia Stella Tara Vera Wanda Yara Zara Aisha Amara Amina "
    "Bella Bianca Carmen Celia Chloe Dora Elena Elif Esme Eva Farah Fatima Gita Helen Ingrid Irene Jasmine Joan June "
    "Karin Keiko Lara Layla Linda Magda Meera Mila Mina Naomi Nadia Noor Priya Rania Sana Selma Sita Thea Yuki".split()
)
BOYS = tuple(
    "Tom Ben Max Leo Sam Finn Omar Hugo Noah Eli Theo Ravi Jack Luca Oscar Milo Adam Alan Ali Amir Anton Arjun Arlo "
    "Arthur Bilal Bruno Carl Carlos Caleb Chen Colin Dan David Dev Diego Dylan Emil Emre Enzo Eric Ethan Evan Felix "
    "Frank Fred George Gustav Hans Harry Hassan Henry Ian Idris Igor Isaac Ivan Jacob Jamal James Jan Jens Joel John "
    "Jonas Jose Josh Juan Kai Karim Kenji Lars Levi Liam Louis Lucas Malik Marco Mario Matteo Miguel Nils Nico Oliver "
    "Otto Pablo Paul Peter Pierre Rafael Ralph Remy Robin Simon Stefan Sven Tariq Toby Victor Walter Yusuf".split()
)
# Kept for examination: no training document names them.
NEW_GIRLS = tuple("Agnes Bettina Cora Delia Enid Fiona Gwen Harriet Imelda Kalinda".split())
NEW_BOYS = tuple("Alfred Boris Conrad Duncan Edgar Fergus Gordon Harold Jasper Morten".split())
ELDERS = ("Grandma", "Grandpa", "Mum", "Dad", "Aunt", "Uncle")
# Animals that are somebody in a story, by name: Fox had a lantern.
SHE_ANIMALS = tuple("Fox Mouse Hen Duck Owl Cat Goose Bee Lamb Squirrel Otter Swan".split())
HE_ANIMALS = tuple("Bear Rabbit Hedgehog Frog Badger Wolf Mole Donkey Turtle Crow Goat Dog".split())
HEROES = SHE_ANIMALS + HE_ANIMALS

CHILDREN = GIRLS + BOYS
NEW_CHILDREN = NEW_GIRLS + NEW_BOYS
SHE = frozenset((*GIRLS, *NEW_GIRLS, *SHE_ANIMALS, "Grandma", "Mum", "Aunt"))
HE = frozenset((*BOYS, *NEW_BOYS, *HE_ANIMALS, "Grandpa", "Dad", "Uncle"))
NAMES = SHE | HE

COLOURS = tuple(
    "red blue green yellow orange purple white black brown pink silver golden grey violet crimson turquoise scarlet "
    "copper ivory spotted striped checked".split()
)
THINGS = tuple(
    "kite ball hat scarf drum boat lantern whistle umbrella key blanket bell wagon flute clock puppet feather marble "
    "teapot button kettle mirror ribbon candle violin trumpet guitar compass telescope book notebook pencil crown "
    "mask cape cloak glove mitten slipper sock jacket sweater vest apron belt buckle purse wallet backpack suitcase "
    "sled skateboard scooter bicycle tricycle robot rocket truck tractor doll balloon puzzle domino spinner globe "
    "magnet camera radio torch bucket shovel rake hammer ladder fork ladle mug jug jar bottle tray cushion pillow "
    "quilt carpet rug curtain chair stool cradle hammock tent parasol fiddle harp banjo tambourine xylophone "
    "accordion harmonica rattle gong shell medal badge trophy flag banner statue vase necklace bracelet earring "
    "brooch pin thimble spool locket hourglass abacus ruler eraser crayon envelope postcard poster painting frame "
    "album diary lunchbox helmet racket paddle oar anchor canoe raft surfboard kayak bonnet beret cap tiara wand "
    "broom mop sponge comb hairbrush jewel tassel".split()
)
ANIMALS = tuple(
    "dog cat duck rabbit goat hen pony fox owl mouse hedgehog squirrel turtle donkey frog lamb goose swan badger mole "
    "otter beaver wren sparrow parrot puppy kitten calf foal piglet hamster lizard snail toad raven pigeon deer seal "
    "stork crow".split()
)
FRUITS = {
    word: word[:-1] + "ies" if word.endswith("y") else word + ("es" if word.endswith(("ch", "o")) else "s")
    for word in (
        "plum pear apple cherry fig peach lemon berry grape melon apricot mango banana olive quince lime papaya "
        "coconut chestnut walnut"
    ).split()
}
BAKES = {
    word: word + "s"
    for word in "bun muffin pancake cookie pie waffle scone pretzel bagel doughnut biscuit tart cupcake".split()
}
FOODS = FRUITS | BAKES
PLACES = tuple(
    "park garden beach forest market barn hill pond library school harbour meadow mill farm river lake bridge castle "
    "square orchard valley station lighthouse museum stable playground bakery workshop church tower field cottage "
    "cave dock fountain theatre zoo village campsite brook".split()
)
SPOTS = {  # the word a judge looks for, and how the spot is named
    "bench": "under the bench",
    "gate": "behind the gate",
    "oak": "under the old oak",
    "hedge": "behind the hedge",
    "rock": "beside a big rock",
    "fence": "by the fence",
    "log": "under a mossy log",
    "ditch": "in a dry ditch",
    "bush": "in a thick bush",
    "wall": "behind the stone wall",
    "stump": "on a tree stump",
    "barrel": "in an empty barrel",
    "haystack": "behind the haystack",
    "willow": "under the willow",
    "doorstep": "on the doorstep",
    "crate": "in a wooden crate",
    "woodpile": "behind the woodpile",
    "ferns": "among the ferns",
    "reeds": "among the reeds",
    "cellar": "in the cellar",
    "chimney": "behind the chimney",
    "nettles": "among the nettles",
    "pump": "beside the pump",
    "trough": "by the old trough",
}
PLANTS = tuple("bean sunflower pumpkin tomato tulip cabbage carrot radish pea marigold foxglove lettuce".split())
JOBS = tuple(
    "baker miller farmer teacher gardener painter tailor fisher doctor sailor carpenter postman shepherd tinker "
    "blacksmith librarian".split()
)
SKILLS = tuple("swim skate juggle ski sail knit".split())
DISHES = tuple("cake bread pudding porridge crumble soup".split())
LIQUIDS = tuple("milk water cream juice".split())
SWEETS = ("sugar", "honey", "syrup")
TOWNS = tuple(
    "Dunmore Ashby Larkwood Brindle Westhaven Millford Rowan Seaton Hartley Penrose Oakham Ferndale Greyford Holloway "
    "Kingsbury Lowbridge Marsham Northcliff Redhill Silverton Thornby Underwood Wexford Yarrow".split()
)
EVENTS = ("race", "concert", "picnic", "party", "fair", "parade", "contest", "wedding")
DAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
# what somebody can do with a thing, and how it is said when it is done
VERBS = {
    "find": "found",
    "carry": "carried",
    "paint": "painted",
    "hide": "hid",
    "bring": "brought",
    "buy": "bought",
    "drop": "dropped",
    "wash": "washed",
    "borrow": "borrowed",
    "draw": "drew",
    "mend": "mended",
    "see": "saw",
    "take": "took",
    "keep": "kept",
    "lose": "lost",
    "sell": "sold",
    "want": "wanted",
    "show": "showed",
    "lift": "lifted",
    "push": "pushed",
    "polish": "polished",
    "leave": "left",
    "shake": "shook",
    "touch": "touched",
}
NUMBERS = tuple(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty".split()
)


def plural(thing: str) -> str:
    """Several of a thing."""
    if thing in FOODS:
        return FOODS[thing]
    if thing[-1] == "y" and thing[-2] not in "aeiou":
        return thing[:-1] + "ies"
    return thing + ("es" if thing.endswith(("ch", "sh", "s", "x")) else "s")


def article(word: str) -> str:
    """The word behind its a or an."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def number(word: str) -> int | None:
    """Seven, or 7, as a number; None for any other word."""
    if word.isascii() and word.isdigit() and len(word) < 6:
        return int(word)
    return NUMBERS.index(word.lower()) if word.lower() in NUMBERS else None


SINGULAR = {several: single for single, several in FOODS.items()} | {single: single for single in FOODS}
# everything the worlds name in training, kind by kind, for a vocabulary to hold whole; what begins a sentence is last
KINDS: tuple[tuple[str, ...], ...] = (
    CHILDREN,
    HEROES,
    ELDERS,
    COLOURS,
    (*THINGS, *map(plural, THINGS)),
    ANIMALS,
    (*FOODS, *FOODS.values()),
    PLACES,
    tuple(SPOTS),
    PLANTS,
    JOBS,
    TOWNS,
    EVENTS,
    DAYS,
    (*VERBS, *VERBS.values()),
    (*NUMBERS[1:], *(number.capitalize() for number in NUMBERS[2:13])),
)
NAMED = tuple(dict.fromkeys(word for kind in KINDS for word in kind))
