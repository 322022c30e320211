"""Things to do in a few steps, with a friend called {a}."""

TITLES = {
    "plant": "plant a {plant}",
    "kite": "fly a paper dragon",
    "box": "paint a {colour} box",
    "bed": "make a bed for a {animal}",
    "letter": "send a letter",
    "share": "share {fruits}",
    "boat": "make a paper ship",
    "birds": "feed the birds",
    "snowman": "build a snowman",
    "mask": "make a {colour} paper face",
    "hut": "build a hut at the {place}",
    "race": "hold a race at the {place}",
    "juice": "press juice from {fruits}",
    "star": "make a {colour} paper star",
    "puppet": "make a {animal} out of a stocking",
}

TEXT = """
= plant: plant + thanks
= kite: kite + thanks
= box: box + thanks
= bed: bed + thanks
= letter: letter + thanks
= share: share + thanks
= boat: boat + thanks
= birds: birds + thanks
= snowman: snowman + thanks
= mask: mask + thanks
= hut: hut + thanks
= race: race + thanks
= juice: juice + thanks
= star: star + thanks
= puppet: puppet + thanks

## thanks
Thank {a} for the help. / Show {a} how well it went. / Ask {a} what to do next. / Do it again with {a} [tomorrow|on {day}|next week].

## plant
You need: a pot, some soil, a seed and water.
Fill the pot with soil. / Put soil into the pot. / Take the pot and fill it with [dark|good] soil.
Push the seed {few} fingers deep. / Make a hole and drop the seed in.
Cover the seed with soil. / Close the hole with your finger.
Give it water every day for {days} days. / Pour some water on it and wait {days} days.
Say hello to your {plant}. / Put the {plant} by a sunny window.

## kite
You need: a paper dragon, a long string and some wind.
Wait for a day with wind. / Hold up a wet finger to feel the wind.
Tie the string to the dragon. / Knot the string to the dragon, and knot it again.
Hold the dragon up high and run. / Let a friend hold the dragon while you run.
Let out the string, {few} steps at a time. / Let out more string when the dragon pulls.
Look up and laugh. / Wind up the string when you are tired.

## box
You need: an old box, {colour} paint and a brush.
Wipe the dust off the box. / Wash the box and let it dry.
Dip the brush into the {colour} paint. / Open the {colour} paint and stir it.
Paint one side of the box after the other. / Paint the box from top to bottom with the brush.
Wait {days} hours until it is dry. / Let it dry for {days} hours.
Wash the brush and show your {colour} box. / Clean the brush, and put a secret in the {colour} box.

## bed
You need: a basket, a {colour} towel and a {animal}.
Put the basket in a warm corner. / Find a quiet place for the basket.
Fold the {colour} towel {few} times. / Shake the {colour} towel and fold it.
Lay the towel in the basket. / Press the towel down until it is soft.
Show it to the {animal} and wait. / Do not call the {animal}, for it will come.
Wash the towel every {days} days. / Speak softly when the {animal} is asleep.

## letter
You need: a sheet of paper, a pen and a stamp.
Take the pen and write from the heart. / Sit down with the pen and think of a friend.
Read the paper again and smile. / Draw {few} small stars on the paper.
Fold the paper and close it well. / Fold the paper twice.
Lick the stamp and press it on. / Put the stamp in the corner.
Wait {days} days for an answer. / Your friend will read it in {days} days.

## share
You need: a bowl of {fruits} and some friends.
Wash the {fruits} in cold water. / Choose the best {fruits} of all.
Count the {fruits} and count your friends. / Ask how many friends are hungry.
Give {few} {fruits} to everyone. / Everyone takes {few} {fruits}.
Keep the last one for whoever comes late. / Let the smallest friend choose first.
Wash the bowl together. / Now the bowl is empty and everyone is full.

## boat
You need: a sheet of paper and a {colour} pen.
Fold the paper in the middle. / Lay the paper flat and fold it in half.
Fold down {few} corners. / Fold the corners down to the middle.
Open it carefully with both thumbs. / Pull the sides apart, slowly.
Write a name on it with the {colour} pen. / Draw a sail on the paper with the {colour} pen.
Let it swim for {days} minutes. / Put it on the water and wave.

## birds
You need: a handful of seeds, a flat dish and water.
Put the dish where nobody can reach it. / Stand the dish on the window sill.
Fill it with seeds. / Scatter the seeds on it.
Set some water beside it. / Do not forget the water.
Wait {days} minutes without moving. / Sit still and count to {days}.
Clean the dish every {days} days. / Tell nobody which bird you like best.

## snowman
You need: snow, some stones and a stick.
Roll the snow until it is as big as you. / Make a big ball-shaped heap of snow.
Roll a smaller one for the head. / Put a smaller heap on top.
Press in {few} stones for the eyes and the mouth. / Give it eyes of stones.
The stick will be the nose. / Put the stick in the middle of the face.
Hope for {days} cold days. / It will stand for {days} days.

## mask
You need: a sheet of paper, {colour} paint and a string.
Cut the paper as wide as your face. / Hold the paper before your face and draw the eyes.
Cut out {few} holes. / Cut holes for the eyes.
Paint it {colour}. / Cover all of it with {colour} paint.
Tie the string to both sides. / Knot the string behind your head.
Wear your {colour} face for {days} minutes. / Frighten somebody, and then laugh.

## hut
You need: some branches, a rope and leaves.
Choose a flat spot at the {place}. / Look for a dry corner of the {place}.
Stand {few} branches in a circle. / Lean the branches together.
Tie them with the rope. / Wind the rope round them {few} times.
Cover it with leaves. / Throw leaves on top until no light comes in.
Sit inside for {days} minutes. / Invite a guest in {days} days.

## race
You need: some friends, a rope and a prize.
Meet your friends at the {place}. / Bring your friends to the {place}.
Lay the rope down where it begins. / The rope shows where to stop.
Count to {few} and shout. / Let the smallest of the friends start first.
Run for {days} minutes. / Run round the {place} {few} times.
Give the prize to the last one. / Share the prize with everyone.

## juice
You need: some {fruits}, a cloth and a tub.
Wash the {fruits} [well|in cold water]. / Cut the {fruits} into pieces.
Put them into the cloth. / Fold the cloth over them {few} times.
Press hard over the tub. / Squeeze it over the tub for {days} minutes.
Taste, and add some sugar. / Let it stand for {days} minutes.
Fill {few} cups. / Drink it from the tub.

## star
You need: {colour} paper, a pair of scissors and glue.
Fold the {colour} paper {few} times. / Fold the {colour} paper from corner to corner.
Cut along the fold with the scissors. / Take the scissors and cut out points.
Open it and smooth it down. / Unfold it, slowly.
Put glue on the back. / Glue the points together.
Hang up the {colour} star for {days} days. / Let it dry for {days} minutes.

## puppet
You need: an old stocking, {colour} wool and a needle.
Pull the stocking over your hand. / Wash the stocking and let it dry.
Sew on {colour} wool with the needle. / Take the needle and sew on {colour} wool.
Make {few} knots for the eyes. / Draw a big mouth.
Let the {animal} say hello. / Now the {animal} can speak.
Play for {days} minutes. / Give it a name that nobody has.
"""
