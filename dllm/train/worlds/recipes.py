"""How to cook and how to do things, with nothing used that was not listed."""

from random import Random

from dllm.judge.words import CHILDREN, COLOURS, FRUITS, NUMBERS, PLANTS, article
from dllm.train.worlds.scene import Document

DISHES = ("cake", "pie", "bread", "pudding", "tart", "porridge")
LIQUIDS = ("milk", "water", "cream")


def recipe(rng: Random) -> Document:
    fruit = rng.choice(tuple(FRUITS))
    dish, liquid = rng.choice(DISHES), rng.choice(LIQUIDS)
    guests, minutes = rng.randint(2, 8), rng.choice((10, 15, 20, 25, 30, 40, 45))
    flour, wet, eggs = (
        f"{rng.randint(2, 5)} cups of flour",
        f"{rng.randint(2, 5)} cups of {liquid}",
        f"{rng.randint(2, 5)} eggs",
    )
    sweet = f"{rng.randint(2, 6)} spoons of {rng.choice(('sugar', 'honey'))}"
    fruits = f"{rng.randint(2, 9)} {FRUITS[fruit]}"
    people = NUMBERS[guests]
    head = f"Recipe: {fruit} {dish} for {people}\n"
    need = f"You need: {flour}, {wet}, {eggs}, {sweet} and {fruits}."
    steps = [
        rng.choice((f"Mix {flour} with {wet}.", f"Put {flour} in a bowl and add {wet}.", f"Stir {flour} into {wet}.")),
        rng.choice((f"Beat {eggs} and add them.", f"Add {eggs} and stir well.", f"Break {eggs} into the bowl.")),
        rng.choice((f"Stir in {sweet}.", f"Add {sweet} and taste.", f"Sweeten it with {sweet}.")),
        rng.choice(
            (
                f"Cut {fruits} into pieces and put them in.",
                f"Wash {fruits} and lay them on top.",
                f"Add {fruits}, but keep one bite for the cook.",
            )
        ),
        rng.choice((f"Bake the {dish} for {minutes} minutes.", f"Let the {dish} cook for {minutes} minutes.")),
        rng.choice(
            (
                f"Share the {dish} with {people} people.",
                f"Cut it into {people} pieces and enjoy!",
                f"Serve it warm to {people} people.",
            )
        ),
    ]
    text = head + need + "".join(f"\n{at}. {step}" for at, step in enumerate(steps, 1))
    return Document(text, head, "recipe", f"{fruit} {dish} {people} {flour} {liquid}")


def steps(rng: Random) -> Document:
    colour, plant, fruit = rng.choice(COLOURS), rng.choice(PLANTS), rng.choice(tuple(FRUITS.values()))
    days, few = rng.randint(2, 9), NUMBERS[rng.randint(2, 5)]
    paint = f"{colour} paint"
    title, needs, doing = rng.choice(
        (
            (
                f"plant a {plant}",
                ("a pot", "some soil", "a seed", "water"),
                (
                    ("Fill the pot with soil.", "Put soil into the pot."),
                    (f"Push the seed {few} fingers deep.", "Make a hole and drop the seed in."),
                    ("Cover the seed with soil.", "Close the hole with your finger."),
                    (f"Give it water every day for {days} days.", f"Pour some water on it and wait {days} days."),
                    (f"Say hello to your {plant}.", f"Put the {plant} by a sunny window."),
                ),
            ),
            (
                "fly a kite",
                ("a kite", "a long string", "some wind"),
                (
                    ("Wait for a day with wind.", "Hold up a wet finger to feel the wind."),
                    ("Tie the string to the kite.", "Knot the string to the kite, and knot it again."),
                    ("Hold the kite up high and run.", "Let a friend hold the kite while you run."),
                    (f"Let out the string, {few} steps at a time.", "Let out more string when the kite pulls."),
                    ("Look up and laugh.", "Wind up the string when you are tired."),
                ),
            ),
            (
                f"paint a {colour} box",
                ("an old box", f"{colour} paint", "a brush"),
                (
                    ("Wipe the dust off the box.", "Wash the box and let it dry."),
                    (f"Dip the brush into the {paint}.", f"Open the {paint} and stir it."),
                    ("Paint one side of the box after the other.", "Paint the box from top to bottom with the brush."),
                    (f"Wait {days} hours until it is dry.", f"Let it dry for {days} hours."),
                    (f"Wash the brush and show your {colour} box.", "Clean the brush, and put a secret in the box."),
                ),
            ),
            (
                "make a bed for a cat",
                ("a basket", f"{article(colour)} towel", "a cat"),
                (
                    ("Put the basket in a warm corner.", "Find a quiet place for the basket."),
                    (f"Fold the {colour} towel {few} times.", f"Shake the {colour} towel and fold it."),
                    ("Lay the towel in the basket.", "Press the towel down until it is soft."),
                    ("Show it to the cat and wait.", "Do not call the cat. It will come."),
                    (f"Wash the towel every {days} days.", "Speak softly when the cat is asleep."),
                ),
            ),
            (
                "send a letter",
                ("a sheet of paper", "a pen", "a stamp"),
                (
                    ("Take the pen and write from the heart.", "Sit down with the pen and think of a friend."),
                    ("Read the paper again and smile.", f"Draw {few} small stars on the paper."),
                    ("Fold the paper and close it well.", "Fold the paper twice."),
                    ("Lick the stamp and press it on.", "Put the stamp in the corner."),
                    (f"Wait {days} days for an answer.", f"Your friend will read it in {days} days."),
                ),
            ),
            (
                f"share {fruit}",
                (f"a bowl of {fruit}", "some friends"),
                (
                    (f"Wash the {fruit} in cold water.", f"Choose the best {fruit} of all."),
                    (f"Count the {fruit} and count your friends.", "Ask how many friends are hungry."),
                    (f"Give {few} {fruit} to everyone.", f"Everyone takes {few} {fruit}."),
                    ("Keep the last one for whoever comes late.", "Let the smallest friend choose first."),
                    ("Wash the bowl together.", "Now the bowl is empty and everyone is full."),
                ),
            ),
            (
                "make a paper boat",
                ("a sheet of paper", f"{article(colour)} pencil"),
                (
                    ("Fold the paper in the middle.", "Lay the paper flat and fold it in two."),
                    (f"Fold down {few} corners.", "Fold the corners down to the middle."),
                    ("Open it carefully with both thumbs.", "Pull the sides apart, slowly."),
                    (
                        f"Write a name on it with the {colour} pencil.",
                        f"Draw a flag on the paper with the {colour} pencil.",
                    ),
                    (f"Let it swim for {days} minutes.", "Put it on the water and wave."),
                ),
            ),
            (
                "feed the birds",
                ("a handful of seeds", "a flat dish", "water"),
                (
                    ("Put the dish where no cat can reach it.", "Stand the dish on the window sill."),
                    ("Fill it with seeds.", "Scatter the seeds on it."),
                    ("Set some water beside it.", "Do not forget the water."),
                    (f"Wait {days} minutes without moving.", f"Sit still and count to {days}."),
                    (f"Clean the dish every {days} days.", "Tell nobody which bird you like best."),
                ),
            ),
        )
    )
    friend = rng.choice(CHILDREN)
    thanks = (f"Thank {friend} for the help.", f"Show {friend} how well it went.", f"Ask {friend} what to do next.")
    head = f"Steps: how to {title} with {friend}\n"
    need = f"You need: {', '.join(needs[:-1])} and {needs[-1]}."
    text = head + need + "".join(f"\n{at}. {rng.choice(ways)}" for at, ways in enumerate((*doing, thanks), 1))
    return Document(text, head, "steps", f"{title} {friend} {colour} {days} {few}")
