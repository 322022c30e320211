"""People of a small world talking and writing to each other."""

from random import Random

from dllm.judge.words import FRUITS, NUMBERS
from dllm.train.worlds.scene import Beat, Document, scene, tell

# Odd lines are said by {a}, even ones by {b}: every beat is one line.
TALKS: dict[str, list[Beat]] = {
    "lost": [
        (
            "Have you seen my {colour} {thing}?",
            "I cannot find my {colour} {thing} anywhere!",
            "My {colour} {thing} is gone.",
        ),
        ("When did you have it last?", "Where did you play with it?", "Oh no! Where were you today?"),
        ("I was at the {place} this morning.", "At the {place}, I think.", "I took it to the {place}."),
        ("Did you look {spot}?", "Then let us look {spot}.", "Maybe it fell down {spot}."),
        ("No, not yet. Will you come with me?", "Good idea. Come with me!", "I did not think of that."),
        (
            "Of course. Look, there is something {colour}!",
            "Yes. Look, there it is, {spot}!",
            "I will. Wait, here is your {thing}!",
        ),
        ("You found it! Thank you, {b}.", "My {thing}! You are the best, {b}.", "Hurray! What would I do without you?"),
    ],
    "plan": [
        ("Shall we go to the {place} on {day}?", "What are you doing on {day}?", "Are you free on {day}?"),
        (
            "On {day} I have time. When shall we meet?",
            "Nothing at all. Why do you ask, {a}?",
            "Yes, on {day} I am free.",
        ),
        ("Let us meet at the {place} at {hour} o'clock.", "Then come to the {place} at {hour} o'clock."),
        ("At {hour} o'clock, then. What shall I bring?", "All right, {hour} o'clock. Shall I bring something?"),
        (
            "Bring some {fruits}. I will bring my {colour} {thing}.",
            "Some {fruits} would be nice. I have {a_colour} {thing} for us.",
        ),
        ("I will not forget the {fruits}.", "And what if it rains?", "Then we can play with the {thing}!"),
        ("See you on {day}, {b}!", "We will have fun, you will see. Until {day}!"),
    ],
    "borrow": [
        ("May I borrow your {colour} {thing}?", "Could you lend me your {colour} {thing}?"),
        ("What do you need it for?", "Maybe. What are you going to do with it?", "You may, if you are careful."),
        ("I want to show it to {elder}.", "I need it at the {place} on {day}.", "I want to draw a picture of it."),
        ("All right. But bring it back on {day}.", "Then take the {thing}. I need it again on {day}."),
        ("I promise. On {day} you will have your {thing} back.", "On {day}, I promise!"),
        ("Good. I trust you, {a}.", "Then here it is. Have fun!", "Here you are. Be good to it."),
        ("Thank you, {b}!", "I will take good care of it."),
    ],
    "animal": [
        ("Look, {b}! There is {an_animal} {spot}.", "Quiet! I can see {an_animal} {spot}."),
        ("Is the {animal} hurt?", "It looks hungry.", "Oh, how small the {animal} is!"),
        ("No, I think it is only tired.", "Maybe it has lost its mother.", "I think it is just afraid of us."),
        ("I have some bread in my bag.", "Shall we give the {animal} some water?", "Let us sit down and wait."),
        ("Good. Put it down, and do not move.", "Yes, but slowly.", "If we are quiet, it may come out."),
        ("It is coming! The {animal} is coming!", "Look, it is looking at us.", "It is not afraid any more."),
        ("Shall we come back tomorrow, {b}?", "I will never forget this.", "Good night, little {animal}."),
    ],
    "weather": [
        ("Look at the sky, {b}. It will rain.", "Do you hear the thunder?", "It is so windy today!"),
        ("I wanted to go to the {place}.", "And we were going to the {place}!", "Then we cannot go to the {place}."),
        ("We can stay here and play with my {thing}.", "Come in. I have {a_colour} {thing} to show you."),
        (
            "Is that the {colour} {thing} you told me about?",
            "Is it the {colour} one?",
            "Your {thing}? I would love to!",
        ),
        (
            "Yes, and {elder} is making soup.",
            "That is the one. And there are {fruits} too.",
            "Yes, it is {colour}. Wait and see.",
        ),
        ("Then I hope it rains all day.", "Rain is not so bad after all.", "You are right. The {place} can wait."),
        ("Me too!", "Come in, before you get wet.", "Tomorrow the sun will shine again."),
    ],
}


def dialogue(rng: Random) -> Document:
    world = scene(rng)
    if rng.random() < 0.25:
        kind, lines = "shop", shop(world, rng)
    else:
        kind = rng.choice(tuple(TALKS))
        lines = tell(TALKS[kind], world, rng)
        lines = lines[: rng.choice((5, 6, 7, 7))] if kind != "lost" else lines
    speakers = (world["a"], world["b"])
    told = "".join(f"\n{speakers[at % 2]}: {line}" for at, line in enumerate(lines))
    head = f"Dialogue: {speakers[0]} and {speakers[1]}"
    first = told.index("\n", 1)
    text = head + told
    return Document(
        text, head + told[:first] + "\n", "dialogue", f"{kind} {speakers[0]} {world['thing']} {world['fruit']}"
    )


def shop(world: dict[str, str], rng: Random) -> list[str]:
    """Buying fruit: so many, at so many coins each, makes so many coins."""
    count, price = rng.randint(2, 6), rng.randint(2, 3)
    one, fruits = world["fruit"], FRUITS[world["fruit"]]
    words = {
        **world,
        "count": NUMBERS[count],
        "Count": NUMBERS[count].capitalize(),
        "price": NUMBERS[price],
        "total": NUMBERS[count * price],
        "one": one,
        "fruits": fruits,
    }
    beats: list[Beat] = [
        ("Good morning! I would like some {fruits}.", "Hello, {b}! Do you have {fruits}?", "Are your {fruits} sweet?"),
        ("Sweet as honey. One {one} is {price} coins.", "They are fresh today. One {one} is {price} coins."),
        ("Then give me {count} {fruits}, please.", "{Count} {fruits}, please.", "I will take {count} {fruits}."),
        ("{Count} {fruits} make {total} coins.", "Here you are: {count} {fruits}, {total} coins."),
        ("Here are {total} coins.", "{total_cap} coins, here they are.", "Take these {total} coins, please."),
        ("Thank you, {a}. Come again!", "Thank you! Say hello to {elder}.", "Have a lovely {day}!"),
    ]
    words["total_cap"] = words["total"].capitalize()
    return tell(beats, words, rng)


LETTERS: list[list[Beat]] = [
    [  # thanks
        ("Thank you for the {colour} {thing}!", "Your present came on {day}: {a_colour} {thing}! Thank you!"),
        ("It is just what I wanted.", "I jumped for joy when I opened it.", "I did not let go of it all day."),
        ("I took the {thing} to the {place} at once.", "Now I take the {thing} everywhere, even to the {place}."),
        (
            "{b} wants one too, but I told {b} there is only one like it.",
            "{b} asked to hold it, and I let {b} try.",
            "",
        ),
        (
            "Please come and see us soon.",
            "I am making something for you too, but it is a secret.",
            "I miss you very much.",
        ),
    ],
    [  # news
        ("You will not believe what I saw on {day}.", "I have big news for you.", "Something lovely has happened."),
        ("There is {an_animal} at the {place}, {spot}.", "At the {place}, {spot}, I found {an_animal}."),
        ("It is so small that it fits in my two hands.", "At first the {animal} was afraid of me.", "I call it Pip."),
        (
            "Every day I bring the {animal} something to eat.",
            "Now the {animal} comes when I call.",
            "I gave it some bread.",
        ),
        (
            "When you visit, I will show it to you.",
            "Do not tell anyone. It is our secret.",
            "I wish you could see the {animal}.",
        ),
    ],
    [  # harvest
        ("I picked {many} {fruits} at the {place}.", "On {day} I picked {many} {fruits} at the {place}."),
        ("They are very sweet this year.", "The sun was hot, and I wore my big boots.", ""),
        (
            "I gave {some} {fruits} to {b}, because {b} is ill.",
            "Then I gave {some} of them to {b}. You know how {b} loves them.",
        ),
        ("So I have {rest} {fruits} left.", "Now there are {rest} {fruits} left."),
        (
            "I will bake a cake with them when you come.",
            "They are waiting for you.",
            "Come soon, or I will eat them all!",
        ),
    ],
    [  # invitation
        ("On {day} we will have a little feast at the {place}.", "Will you come to the {place} on {day}?"),
        ("It begins at {hour} o'clock.", "Come at {hour} o'clock, and do not be late."),
        ("There will be {fruits} and music.", "We will eat {fruits} and sing until dark."),
        (
            "Please bring your {colour} {thing}.",
            "Can you bring the {colour} {thing} again? Everyone loved the {thing}.",
        ),
        ("I am counting the days until {day}.", "It would not be a feast without you."),
    ],
    [  # sorry
        (
            "I have to tell you something. I broke your {colour} {thing}.",
            "I am writing because I am sorry. I lost your {colour} {thing}.",
        ),
        ("I took the {thing} to the {place} without asking.", "I only wanted to show it to someone at the {place}."),
        (
            "I looked everywhere, and I could not sleep.",
            "I know how much you loved it.",
            "It was my fault, and only mine.",
        ),
        ("On {day} I will bring you my own {other}.", "I am saving my coins for a new {thing}."),
        ("I hope you are not too angry.", "Can we still be friends?", "Next time I will ask first."),
    ],
]


def letter(rng: Random) -> Document:
    world = scene(rng)
    writer = world["a"]
    reader = world["elder"]
    which = rng.randrange(len(LETTERS))
    body = " ".join(tell(LETTERS[which], world, rng))
    close = rng.choice(("Love,", "Yours,", "With love,"))
    head = f"Letter: {writer} writes to {reader}\nDear {reader},\n"
    text = f"{head}{body}\n{close}\n{writer}"
    return Document(
        text, head, "letter", f"letter {which} {writer} {world['thing']} {world['fruit']} {world['animal']}"
    )
