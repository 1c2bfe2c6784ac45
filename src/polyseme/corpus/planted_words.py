"""The words of the planted corpus: topics, ambiguous words with their topics, and common words."""

# No word is in two topics: words of several topics are in AMBIGUOUS only.
TOPICS: dict[str, str] = {
    "finance": "money loan credit deposit account interest cash debt dollar invest fund savings mortgage profit "
    "broker currency insurance tax budget trader stock wealth payment customer",
    "river": "water shore boat flood stream canal bridge mud ferry downstream valley lake reeds paddle dam meadow "
    "upstream ford otter barge rapids willow delta wade",
    "music": "guitar band song drum concert album melody singer jazz rhythm chord tune choir piano orchestra record "
    "violin dance stage lyrics tempo harmony chorus blues",
    "fishing": "hook rod bait trout salmon catch perch reel tackle angler fly cod worm sea trawler haul herring lure "
    "float cast harbour carp pier tuna",
    "garden": "leaf flower seed soil root grow rose tulip shrub bloom weed petal stem moss fern lawn compost prune "
    "blossom green shade herb sprout hedge",
    "factory": "worker machine steel assembly engine output shift product manager coal furnace union warehouse forge "
    "textile boiler chimney labour industry strike foreman crate conveyor rivet",
    "geology": "stone granite limestone lava crust mineral quartz fossil cliff basalt volcano sediment erosion quarry "
    "boulder marble slate glacier crystal canyon fault magma gravel ridge",
    "fruit": "juice pear plum cherry orchard sweet ripe pie peach grape cider lemon jam basket banana harvest peel "
    "mango sour berry fig melon apricot crumble",
    "computing": "software screen keyboard program laptop file internet user code data processor download server "
    "memory website update password printer folder icon click browser digital pixel",
    "biology": "membrane nucleus protein gene enzyme tissue bacteria organism molecule dna virus mutation embryo "
    "tumour receptor hormone microscope chromosome antibody neuron vaccine stain yeast culture",
    "prison": "guard inmate warden sentence jail escape crime convict locked parole murderer thief bars handcuffs "
    "yard visitor sentenced robber fugitive riot captive punishment solitary gang",
    "telephone": "phone call dial mobile caller message signal handset operator ringtone number text speaker receiver "
    "voicemail antenna busy hang network wireless subscriber switchboard answer tariff",
    "astronomy": "planet galaxy orbit telescope moon comet nebula solar sky gravity cosmic venus jupiter saturn "
    "asteroid eclipse light supernova astronomer constellation dwarf universe meteor pulsar",
    "cinema": "film actor movie director scene hollywood actress audience screenplay oscar role camera premiere "
    "comedy drama studio sequel producer script celebrity trailer western fame costume",
    "seasons": "summer winter autumn april march warm rain snow frost sunny cold weather easter thaw breeze holiday "
    "swallow mild calendar picnic storm cloud chilly equinox",
    "mechanics": "coil lever gear bolt wheel axle valve piston pulley clutch brake metal screw tension shock "
    "suspension bearing hinge wrench torque lubricant pedal crank mattress",
    "chemistry": "acid liquid compound toxic element zinc alloy oxide vapour beaker solvent reaction sulphur "
    "thermometer poison arsenic copper chlorine dissolve sodium laboratory lead nitrate flask",
    "tennis": "player racket serve tournament champion score referee coach set opponent umpire final volley win ace "
    "doubles trophy league stadium goal striker defeat rally fixture",
    "law": "judge lawyer jury trial verdict appeal witness justice plaintiff defendant statute attorney guilty "
    "evidence barrister lawsuit testimony clerk ruling magistrate oath legal prosecution hearing",
    "royalty": "king queen palace prince throne crown duke noble castle knight reign royal heir lady monarch emperor "
    "coronation banquet jewels servant velvet majesty realm jester",
    "birds": "nest wing feather egg beak heron eagle gull migrate stork flock marsh crow owl sparrow chick duck swan "
    "perched pigeon hawk falcon plumage wetland",
    "building": "brick roof concrete wall scaffold mason cement architect tower plaster hammer crew beam ladder site "
    "foundation timber tiles lift girder contractor demolish skyscraper asphalt",
    "baseball": "inning batter pitcher hit glove catcher runner swing bullpen dugout homer base mound helmet slugger "
    "outfield shortstop bunt rookie innings swung strikeout fastball bleachers",
    "animals": "dog cat wolf cave fur tail paw rabbit squirrel fox nocturnal mammal zoo leopard hunt rodent hedgehog "
    "burrow deer badger whiskers claw pup den",
    "fire": "flame burn smoke lit candle ash cigarette lighter spark kindling stove torch wick ignite blaze fireplace "
    "charcoal matchbox ember scorch bonfire lantern inferno hearth",
    "theatre": "play rehearsal curtain applause actors stagehand prompt balcony tragedy opera ballet monologue "
    "playwright costumes interval wings cue dialogue farce understudy props auditorium usher matinee",
    "railway": "train station track rail locomotive carriage platform conductor passenger freight timetable tunnel "
    "ticket depot sleeper junction commuter steam wagon guardrail express porter buffer siding",
}

# The topics of each ambiguous word, most frequent sense first.
AMBIGUOUS: dict[str, tuple[str, ...]] = {
    "bank": ("finance", "river"),
    "bass": ("music", "fishing"),
    "plant": ("garden", "factory"),
    "rock": ("music", "geology"),
    "apple": ("fruit", "computing"),
    "star": ("cinema", "astronomy"),
    "crane": ("building", "birds"),
    "bat": ("baseball", "animals"),
    "mouse": ("computing", "animals"),
    "match": ("tennis", "fire"),
    "bark": ("garden", "animals"),
    "mercury": ("chemistry", "astronomy"),
    "cell": ("biology", "prison", "telephone"),
    "spring": ("seasons", "mechanics", "river"),
    "court": ("law", "tennis", "royalty"),
    "net": ("fishing", "tennis", "finance"),
    "pitch": ("baseball", "music", "building", "theatre"),
    "line": ("telephone", "fishing", "railway", "theatre"),
}

# Control words: as frequent as the ambiguous words, with one sense.
UNAMBIGUOUS: dict[str, tuple[str, ...]] = {
    "mortgage": ("finance",),
    "ferry": ("river",),
    "violin": ("music",),
    "salmon": ("fishing",),
    "tulip": ("garden",),
    "granite": ("geology",),
    "keyboard": ("computing",),
    "telescope": ("astronomy",),
    "jury": ("law",),
    "locomotive": ("railway",),
}

# Most frequent first; frequencies are Zipfian.
COMMON = (
    "the of and to a in is that it was for on with as he be at by this had not are but from or have they you "
    "which one we all her she there would their him been has when who will more no if out so up said what its "
    "about into than them can only other new some could time these two may then do first any my now such like "
    "over our man me even most made after also did many before must through back years where much your way well "
    "down should because long each just those people how too little state good very make world still see own men "
    "work here get both between life being under never day same another know while last might us great old year "
    "off come since against go came right used take three "
)
