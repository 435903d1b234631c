"""Function words, one set a language: they say nothing about a subject, so they are not indexed.

Articles, pronouns, prepositions, conjunctions, auxiliaries and question words, in the forms a person types.
Short on purpose: what is common without being listed weighs little anyway, because its idf is near zero.
Names are Snowball's.
"""

from __future__ import annotations

_LISTS = {
    "arabic": """
        من في على الى إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا من متى أين كيف لماذا كم أي
        هل لا لم لن ليس كان كانت يكون تكون كانوا هو هي هم هما هن أنا نحن أنت أنتم أو و ف ثم بل لكن
        إن أن إذا لو قد كل بعض غير بين عند منذ حتى خلال بعد قبل حيث كما أيضا فقط كذلك له لها لهم به
        بها فيه فيها عليه عليها منه منها
    """,
    "armenian": """
        և ու կամ բայց որ որը որոնք ինչ ինչը ով երբ որտեղ ինչպես ինչու քանի է են եմ ես ենք եք էր էին
        էի չէ չի այս այդ այն այստեղ այնտեղ ես դու նա մենք դուք նրանք իմ քո նրա մեր ձեր նրանց մեջ վրա
        մասին համար հետ մինչև ըստ նաև շատ միայն եթե քան բոլոր
    """,
    "basque": """
        eta edo baina ez bai da dira zen ziren naiz zara gara zarete du dute zuen zuten dut duzu
        dugu hau hori hura hauek horiek haiek nor zer non noiz nola zergatik zein zenbat ni zu hi gu
        zuek bera bat batzuk ere oso guzti izan baita beste bere gure zure nire
    """,
    "catalan": """
        el la els les l un una uns unes de del dels d a al als en amb per per què que qui quin quina
        quins quines quan on com i o però si no ni és són era eren ser sóc ets som sou ha han he hem
        havia haver va van vaig jo tu ell ella nosaltres vosaltres ells elles em et es ens us se s
        li hi ho meu meva teu teva seu seva aquest aquesta aquests aquestes això allò molt més també
        ja tot tots fins entre sobre sense des
    """,
    "czech": """
        a i o u k s v z na do od po pro při před za nad pod mezi bez ve se ze ke že aby ale nebo ani
        když kde kdy jak proč kdo co který která které kteří jaký jaká jaké kolik já ty on ona ono
        my vy oni ony mě mi tě ti ho mu ji jí nás nám vás vám je jich jim si můj má moje tvůj jeho
        její náš váš jejich ten ta to ti tento tato toto tomu toho tom být je jsou jsem jsi jsme
        jste byl byla bylo byli není také už jen jako než tak velmi
    """,
    "danish": """
        og i jeg det at en et den til er som på de med han af for ikke der var mig sig men har om vi
        min havde ham hun nu over da fra du ud sin dem os op man hans hvor eller hvad skal selv her
        alle vil blev kunne ind når være dog noget ville jo deres efter ned skulle denne end dette
        mit også under have dig hende alt hvem hvordan hvorfor hvilken hvilket hvilke hvornår dit
        dine din jeres vores disse meget mange kan
    """,
    "dutch": """
        de het een en van in op te dat die is was zijn waren ben bent wordt werd worden met aan voor
        om door over bij uit als dan maar of niet geen ook nog al er naar tot onder tegen na tussen
        zonder ik jij je hij zij ze wij we jullie u hem haar hen hun mij me ons onze mijn jouw uw
        zich dit deze wie wat waar wanneer hoe waarom welke welk hoeveel heeft hebben had hadden heb
        hebt kan kunnen kon zal zullen zou moet wil meer zo veel want toen daar hier iets iemand
        zelf
    """,
    "english": """
        a an the and or but nor if so than then that this these those there here of in on at by for
        with from to into onto over under about as up out off between through during before after
        again is am are was were be been being do does did doing done have has had having can could
        will would shall should may might must i me my mine myself you your yours yourself he him
        his himself she her hers herself it its itself we us our ours ourselves they them their
        theirs themselves who whom whose which what when where why how not no don't doesn't didn't
        isn't aren't wasn't weren't can't couldn't won't wouldn't haven't hasn't hadn't i'm i've i'd
        i'll you're you've you'd you'll he's she's it's we're we've we'd we'll they're they've
        that's what's there's let's all any both each few more most other some such only own same
        too very just
    """,
    "esperanto": """
        la kaj aŭ sed ke ĉu se ne jes de da al el en sur sub por per pri kun sen ĝis dum inter antaŭ
        post ĉe kiel kio kiu kiuj kie kiam kial kia kiom kies mi vi ci li ŝi ĝi ni ili oni si mia
        via lia ŝia ĝia nia ilia sia tiu tiuj tio tie tiam tia tiel ĉi ĉiu ĉiuj ĉio estas estis
        estos esti estus havas havis pli plej tre ankaŭ nur jam ankoraŭ tamen ol do iu iuj io
    """,
    "estonian": """
        ja või aga kui et ei ka on oli olid olen oled oleme olete olema olla pole mina ma sina sa
        tema ta meie me teie te nemad nad minu mu sinu su oma see need selle nende seda neid siin
        seal kes mis kus millal kuidas miks kelle mille milline mitu kõik väga ainult nii juba veel
        siis sest kuid ning üks mõni enne pärast
    """,
    "finnish": """
        ja tai mutta että jos kun kuin koska niin ei en et emme ette eivät on oli ovat olivat olen
        olet olemme olette olla ollut minä sinä hän me te he minun sinun hänen meidän teidän heidän
        minut sinut hänet se ne tämä tuo nämä nuo sen niiden tämän tuon siitä siinä siihen sitä
        niitä tässä joka jotka jonka joiden jota joita jossa kuka mikä mitä missä milloin miten
        miksi kenen minkä kuinka myös vain jo vielä hyvin kanssa ennen jälkeen sekä eli
    """,
    "french": """
        le la les l un une des du de d à au aux en dans par pour sur sous avec sans chez entre vers
        et ou mais donc or ni car que qu qui quoi dont où quand comment pourquoi combien quel quelle
        quels quelles lequel laquelle ce cet cette ces c ça cela celui celle ceux je j tu il elle on
        nous vous ils elles me m te t se s lui leur leurs y moi toi soi eux mon ma mes ton ta tes
        son sa ses notre nos votre vos ne n pas plus moins très aussi si comme est sont était
        étaient être été es suis sommes êtes fut sera a ont avait avaient avoir eu ai as avons avez
        fait même tout tous toute toutes
    """,
    "german": """
        der die das den dem des ein eine einen einem einer eines und oder aber denn sondern wenn
        weil dass daß ob als wie so nicht kein keine keinen keinem keiner auch nur noch schon in im
        an am auf aus bei beim mit nach von vom vor zu zum zur über unter durch für gegen ohne um
        bis seit zwischen ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch ihnen sich
        mein meine meinen dein deine sein seine seinen seiner ihre ihren ihrem ihrer unser unsere
        euer eure dieser diese dieses diesen diesem jener jene wer wen wem wessen was wann wo wohin
        woher warum wieso welche welcher welches welchen wieviel wird werden wurde wurden worden ist
        sind war waren bin bist seid sei gewesen hat haben hatte hatten habe hast kann können konnte
        soll sollte muss will würde man da hier dort dann sehr mehr doch ja
    """,
    "greek": """
        ο η το οι τα του της των τον την τους τις στο στη στην στον στους στις στα και ή αλλά ότι
        πως που να θα δεν μη μην αν όταν όπου όπως γιατί για με σε από προς κατά μετά πριν μέχρι
        χωρίς μεταξύ ως είναι ήταν είμαι είσαι είμαστε είστε έχει έχουν έχω είχε είχαν εγώ εσύ αυτός
        αυτή αυτό εμείς εσείς αυτοί αυτές αυτά μου σου μας σας τι ποιος ποια ποιο ποιοι ποιες πού
        πότε πώς πόσο πόσα πόσοι ένας μία μια ένα κάθε όλα όλοι πολύ πιο επίσης μόνο
    """,
    "hindi": """
        का के की को ने से में पर और या लेकिन कि जो है हैं था थी थे हो होता होती होते हुआ हुई हुए
        होने कर करना करने करता करती करते किया की गया गई गए जा जाता जाती जाते रहा रही रहे यह ये वह वे
        इस इन उस उन इसके इसकी इसका उसके उसकी उसका उनके उनकी उनका मैं हम तुम आप मेरा मेरे मेरी हमारा
        हमारे तुम्हारा आपका आपके अपने अपनी अपना क्या कौन कब कहाँ कहां क्यों कैसे कितना कितने कितनी
        किस किसने किसे कौनसा कौनसी एक भी ही तो नहीं न तक साथ लिए द्वारा बाद पहले जब तब अगर सभी कुछ
    """,
    "hungarian": """
        a az egy és vagy de hogy ha nem is meg már még csak mint mert ez azt ezt ezek azok ezen azon
        itt ott én te ő mi ti ők engem téged őt minket titeket őket nekem neked neki nekünk nektek
        nekik van vannak volt voltak lesz vagyok vagy vagyunk lenni ki kik mi mit mik hol mikor
        hogyan miért melyik mennyi hány milyen aki akik ami amit amely amelyek ahol amikor után
        előtt között alatt szerint minden nagyon úgy így akkor sem pedig
    """,
    "indonesian": """
        yang dan di ke dari untuk pada dengan ini itu adalah ialah oleh sebagai dalam tidak bukan
        akan sudah telah belum juga atau tetapi tapi karena jika kalau bahwa agar supaya saat ketika
        setelah sebelum saya aku kamu anda dia ia kami kita mereka nya apa siapa kapan mana dimana
        bagaimana mengapa kenapa berapa ada bisa dapat harus hanya lebih sangat lagi masih para
        suatu sebuah seorang tersebut antara tentang seperti
    """,
    "irish": """
        an na a i ar ag as de do faoi le ó roimh thar trí um agus nó ach go má mar nach ní níl tá
        bhí is ba bhfuil beidh bheith raibh mé tú sé sí muid sinn sibh siad mo do ár bhur seo sin
        siúd cé cad cathain cá conas cén fáth cé mhéad gach eile freisin níos ann orm ort air uirthi
        leis
    """,
    "italian": """
        il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli
        alle da dal dallo dalla dai dalle in nel nello nella nei nelle con su sul sulla sui sulle
        per tra fra e ed o ma se che chi cui quale quali quando dove come perché quanto quanti
        quanta quante cosa non né anche più meno molto già io tu lui lei noi voi loro mi ti si ci vi
        ne lo li mio mia miei mie tuo tua suo sua suoi sue nostro vostro questo questa questi queste
        quello quella quelli quelle ciò è sono era erano essere stato stata fu sei siamo siete ha
        hanno ho hai abbiamo avete aveva avevano avere c
    """,
    "lithuanian": """
        ir ar bet arba o kad jei kai kaip nes ne taip yra buvo bus būti esu esi esame esate buvau aš
        tu jis ji mes jūs jie jos mano tavo jo jos mūsų jūsų jų savo man tau jam jai mums jums jiems
        tai tas ta šis ši tie tos šie šios kas ką kur kada kodėl kuris kuri kurie kurios kiek koks
        kokia į iš su be per po prie nuo iki už apie dėl tarp ant pagal labai tik jau dar visi visos
    """,
    "nepali": """
        को का की ले लाई मा बाट देखि सम्म र वा तर कि भने छ छन् थियो थिए हो होइन हुन् हुने भयो भएको
        गर्ने गरेको गर्न गर्छ यो त्यो यी ती म हामी तिमी तपाईं उ उनी उनीहरू मेरो हाम्रो तिम्रो उसको
        उनको आफ्नो के को कहिले कहाँ किन कसरी कति कुन एक पनि नै मात्र सबै अनि जब जसले जो साथ लागि पछि
        अघि
    """,
    "norwegian": """
        og i jeg det at en et ei den til er som på de med han av for ikke der var meg seg men har om
        vi min hadde ham hun nå over da fra du ut sin dem oss opp man hans hvor eller hva skal selv
        her alle vil ble kunne inn når være noe ville jo deres etter ned skulle denne enn dette mitt
        også under ha deg henne alt hvem hvordan hvorfor hvilken hvilket hvilke ditt dine din vår
        våre disse ikkje eg me dei hjå mykje mye mange kan blir
    """,
    "persian": """
        و در به از که این آن را با برای است بود شد می ها های تا بر یا اما اگر هم نیز نه یک هر چه کی
        کجا چرا چگونه چطور چند کدام چیست کیست من تو او ما شما آنها ایشان خود هستند هست نیست بودند
        شده شدند کرد کرده کردند کند کنند دارد دارند داشت خواهد باید ولی زیرا پس سپس پیش بین بدون همه
    """,
    "polish": """
        i a o w z u na do od po dla przy przed za nad pod między bez we ze ku że żeby aby ale lub
        albo ani gdy kiedy gdzie jak dlaczego czemu kto co który która które którzy jaki jaka jakie
        ile ja ty on ona ono my wy oni one mnie mi ciebie ci jego jemu mu jej ją nas nam was wam ich
        im się sobie mój moja moje twój twoja swój swoja nasz wasz ten ta to te ci tego tej temu tym
        tych być jest są jestem jesteś jesteśmy był była było byli były nie tak też także już tylko
        jeszcze niż bardzo czy oraz
    """,
    "portuguese": """
        o a os as um uma uns umas de do da dos das d em no na nos nas num numa por pelo pela pelos
        pelas para com sem sob sobre entre até desde e ou mas se que quem qual quais quando onde
        como porque porquê quanto quanta quantos quantas não nem também já mais menos muito eu tu
        ele ela nós vós eles elles elas você vocês me te lhe lhes meu minha meus minhas teu tua seu
        sua seus suas nosso nossa este esta estes estas esse essa esses essas isso isto aquele
        aquela aquilo ao aos à às é são era eram ser sido foi foram sou somos está estão estava
        estar tem têm tinha tinham ter há
    """,
    "romanian": """
        un o unei unui unor de la în pe cu din prin pentru despre spre către fără sub între până
        după și sau dar însă dacă că să ca ce cine care când unde cum de ce cât câți câte nu nici
        este e sunt era erau fi fost am ai are avem aveți au avea eu tu el ea noi voi ei ele mă te
        se ne vă îl o îi le mi ți i meu mea mei mele tău ta său sa lui lor nostru vostru acest
        această acești aceste acela aceea acel acea al ale cel cea cei cele mai foarte doar și tot
        toate
    """,
    "russian": """
        и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её
        мне было вот от меня еще ещё нет о об из ему когда даже ну ли если уже или ни быть был была
        были него до вас нибудь вам ведь там потом себя ничего ей может они тут где есть надо ней
        для мы тебя их чем сам чтоб чтобы без чего раз тоже себе под будет кто этот того потому
        этого какой какая какое какие ним здесь этом один мой тем нее неё моя эти эта это через нас
        про всего них какая много разве тот при два сколько почему зачем который которая которое
        которые которых которого куда откуда кого кому кем чей
    """,
    "serbian": """
        i u na je se da su za od sa s o po do iz kod pri pred nad pod među bez kroz ali ili ni niti
        ako kad kada gde kako zašto ko šta što koji koja koje kojih koliko ja ti on ona ono mi vi
        oni one me te ga mu je joj nas nam vas vam ih im moj tvoj njegov njen naš vaš njihov svoj
        ovaj ova ovo taj ta to onaj biti sam si smo ste bio bila bilo bili nije ne također takođe
        već samo još nego vrlo и у на је се да су за од са о по до из код при пред над под међу без
        кроз али или ни ако кад када где како зашто ко шта што који која које којих колико ја ти он
        она оно ми ви они ме га му јој нас вас их им мој твој његов њен наш ваш њихов овај ова ово
        тај та то бити сам си смо сте био била било били није не такође већ само
    """,
    "sesotho": """
        ke o a re le ba e di se ho ha ka ya wa tsa sa la mo ho hore empa kapa mme hape feela jwalo
        jwang eng mang neng kae hobaneng nna wena yena rona lona bona ena eo ao tseo tsena bile ne
        tla
    """,
    "spanish": """
        el la los las lo un una unos unas de del a al en con por para sin sobre entre hasta desde
        hacia según y e o u pero sino si que quien quién quienes quiénes qué cuál cuáles cual cuando
        cuándo donde dónde como cómo por porque cuánto cuánta cuántos cuántas no ni también ya más
        menos muy yo tú él ella nosotros vosotros ellos ellas usted ustedes me te se nos os le les
        mi mis mí tu tus su sus nuestro nuestra vuestro vuestra este esta estos estas ese esa esos
        esas eso esto aquel aquella aquello es son era eran ser sido fue fueron soy eres somos está
        están estaba estaban estar ha han había habían haber he has hemos hay tiene tienen
    """,
    "swedish": """
        och i jag det att en ett den till är som på de med han av för inte der var mig sig men har
        om vi min hade honom hon nu över då från du ut sin dem oss upp man hans var eller vad skall
        ska själv här alla vill blev kunde in när vara något ville ju deras efter ner skulle denna
        än detta mitt också under ha dig henne allt vem hur varför vilken vilket vilka ditt dina din
        vår våra dessa mycket många kan blir vart där
    """,
    "tamil": """
        மற்றும் அல்லது ஆனால் என்று என என்ற ஒரு இந்த அந்த இது அது இவை அவை நான் நீ நீங்கள் அவன் அவள்
        அவர் நாம் நாங்கள் அவர்கள் என் உன் உங்கள் எங்கள் நம் யார் எது எந்த என்ன எங்கே எப்போது எப்படி
        ஏன் எத்தனை எவ்வளவு இருந்தது இருந்து இருக்கிறது உள்ளது உள்ள இல்லை அல்ல ஆகும் மீது மேல் கீழ்
        பின் முன் வரை போல் மட்டும் மிகவும் தான் பற்றி
    """,
    "turkish": """
        ve veya ya da de ile için ama fakat ancak ki bu şu o bunlar şunlar onlar ben sen biz siz
        bana sana ona bize size onlara beni seni onu bizi sizi onları benim senin onun bizim sizin
        onların bir her bazı tüm bütün çok daha en gibi kadar göre sonra önce beri üzere ne neden
        niçin nasıl nerede nereye nereden kim kimin hangi kaç zaman mı mi mu mü değil var yok idi
        ise oldu olan olarak olduğu sadece hem eğer çünkü diye
    """,
    "yiddish": """
        און אדער אָדער אבער אָבער אז אַז אויב ווען ווי וואו וואָס וואס ווער פארוואס פֿאַרוואָס
        וויפיל דער די דאָס דאס דעם א אַ אן אַן אין אויף צו פון פֿון מיט ביי בײַ פאר פֿאַר נאך נאָך
        אונטער איבער איך דו ער זי עס מיר איר זיי מיך דיך אים זיך מיין מײַן דיין זיין זײַן איז זענען
        זײַנען געווען האט האָט האבן האָבן ניט נישט אויך נאר נאָר שוין
    """,
}

LANGUAGES = frozenset(_LISTS)
"""The languages that have a list here."""


def stop_words(language: str) -> frozenset[str]:
    """The function words of ``language`` as typed; empty where there is no list.

    >>> "the" in stop_words("english"), stop_words("klingon")
    (True, frozenset())
    """
    return frozenset(_LISTS.get(language, "").split())
